"""Moving pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

#: Colours that a GIF can hold.
PALETTE = 256


def gif(frames: Sequence[npt.NDArray[np.uint8]], per_second: float) -> bytes:
    """The content of a GIF file that plays for ever.

    Args:
        frames: pictures, uint8 [height, width, 3], of one size.
        per_second: how many are shown in a second.

    Raises:
        ValueError: without a picture.
    """
    if not frames:
        raise ValueError("there is no picture to show")
    pictures = [Image.fromarray(frame).quantize(PALETTE) for frame in frames]
    content = io.BytesIO()
    pictures[0].save(
        content,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000.0 / per_second),
        loop=0,
    )
    return content.getvalue()

"""Allocations in files: numpy's, or the JSON that ``mfbpi bound --json`` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi.instances import allocations, model_file
from mfbpi_core.errors import UsageError


def read(file: Path, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Read an allocation and divide it by its sum; float64 [S, A].

    Args:
        file: ``.npy``, ``.npz`` (array ``allocation``), or JSON with the key ``allocation``.
        shape: (S, A).

    Raises:
        UsageError: naming the file, and the entry at fault.
    """
    return allocations.checked(str(file), _content(file), shape)


def _content(file: Path) -> Any:
    try:
        if file.suffix == ".npz":
            return model_file.read_array(file, "allocation")
        if file.suffix == ".npy":
            with file.open("rb") as opened:
                return np.lib.format.read_array(opened, allow_pickle=False)
        return json.loads(file.read_text(encoding="utf-8-sig"))["allocation"]
    except FileNotFoundError as error:
        raise UsageError(
            f"there is no file {file}; `allocation` takes optimal, uniform or a file"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise UsageError(f"{file} holds no allocation that can be read ({error})") from error

"""Numbers below the normal range, which processors add and multiply up to a hundred times slower.

Adam's first moment of a unit that never fires again decays by 0.9 a step, into this range after
some 800 steps and out of it, to zero, only some 150 steps later.
"""

from __future__ import annotations

import sys

from mfbpi_lib_torch.kernels import rounding
from mfbpi_lib_torch.late import torch

#: The smallest normal number, and what brings it below.
_SMALLEST, _HALF = sys.float_info.min, 0.5


def flushed() -> bool:
    """Whether this thread takes denormals for zero; Python's own numbers show it soonest."""
    return _SMALLEST * _HALF == 0.0


class flushing:  # noqa: N801 - a statement, as those of contextlib
    """Take denormals for zero, in torch, numpy and compiled code of this thread alike.

    What held before holds again afterwards. Processors that cannot do it go on as they are.
    """

    def __enter__(self) -> None:
        if rounding.KNOWN:
            self._before = rounding.start_flushing()
        else:
            self._before = flushed()
            torch.set_flush_denormal(True)

    def __exit__(self, *_: object) -> None:
        if rounding.KNOWN:
            rounding.restore(self._before)
        else:
            torch.set_flush_denormal(bool(self._before))

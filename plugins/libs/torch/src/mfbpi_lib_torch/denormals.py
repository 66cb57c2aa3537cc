"""Numbers below the normal range, which processors add and multiply up to a hundred times slower.

Adam's first moment of a unit that never fires again decays by 0.9 a step, into this range after
some 800 steps and out of it, to zero, only some 150 steps later.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mfbpi_lib_torch.kernels import rounding
from mfbpi_lib_torch.late import torch

#: The smallest normal number, and what brings it below.
_SMALLEST, _HALF = sys.float_info.min, 0.5


def flushed() -> bool:
    """Whether this thread takes denormals for zero; Python's own numbers show it soonest."""
    return _SMALLEST * _HALF == 0.0


@contextmanager
def flushing() -> Iterator[None]:
    """Take denormals for zero, in torch, numpy and compiled code of this thread alike.

    What held before holds again afterwards. Processors that cannot do it go on as they are.
    """
    if rounding.KNOWN:
        control = rounding.start_flushing()
        try:
            yield
        finally:
            rounding.restore(control)
    else:
        before = flushed()
        torch.set_flush_denormal(True)
        try:
            yield
        finally:
            torch.set_flush_denormal(before)

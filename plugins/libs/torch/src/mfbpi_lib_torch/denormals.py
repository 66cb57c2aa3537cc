"""Numbers below the normal range, which processors add and multiply up to a hundred times slower.

Adam's first moment of a unit that never fires again decays by 0.9 a step, into this range after
some 800 steps and out of it, to zero, only some 150 steps later.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from mfbpi_lib_torch.kernels import rounding
from mfbpi_lib_torch.late import torch

#: The smallest normal number, and what brings it below.
_SMALLEST, _HALF = sys.float_info.min, 0.5


def flushed() -> bool:
    """Whether this thread takes denormals for zero; Python's own numbers show it soonest."""
    return _SMALLEST * _HALF == 0.0


def flushing(work: Callable[[], None]) -> None:
    """Take denormals for zero meanwhile, in torch, numpy and compiled code of this thread alike.

    What held before holds again afterwards. Processors that cannot do it go on as they are.
    """
    switch, before, on = _switch()
    # Calls of compiled functions: Ctrl-C is raised after them, within the block or behind it.
    try:
        switch(on)
        work()
    finally:
        switch(before)


def _switch() -> tuple[Callable[[Any], object], Any, Any]:
    """What sets the flag, what it is set to now, and what to set it to."""
    if rounding.KNOWN:
        return rounding.switch, rounding.switched(), rounding.FLUSHING
    return torch.set_flush_denormal, flushed(), True

"""What plugins hand over, as plain Python numbers: exactly, or not at all."""

from __future__ import annotations

import math
import numbers
import sys

import numpy as np

#: Part of a declared range by which rounding may leave it.
ROUNDING = 1e-9

#: Longest text of a value in a message.
LONGEST_TEXT = 60


def whole(value: object) -> int | None:
    """An integer, of Python or numpy or as an array without axes; None for all else, booleans too.

    Numbers with a fraction are never rounded, not even 2.0: what means a state or an action and is
    computed in floating point is right by luck.
    """
    if type(value) is int:  # as nearly always, at every step of a run
        return value
    value = _scalar(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return None
    return int(value)


def real(value: object) -> float | None:
    """A real number, of Python or numpy or as an array without axes; None for all else.

    An integer beyond the range of float64 is infinite.
    """
    value = _scalar(value)
    if not isinstance(value, numbers.Real | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator] # all reals have an order


def flag(value: object) -> bool | None:
    """A truth value, of Python or numpy or as an array without axes, or 0 or 1; None for all else.

    Texts, None and other numbers are no truth values: nearly everything is true.
    """
    value = _scalar(value)
    known = isinstance(value, bool | np.bool_ | numbers.Integral) and value in (0, 1)
    return bool(value) if known else None


def is_range(limits: object) -> bool:
    """Whether it is two numbers, of which the first is smaller."""
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        return False
    low, high = map(real, limits)
    return low is not None and high is not None and low < high


def limits(low: float, high: float) -> tuple[float, float]:
    """The finite numbers within a declared range, with room for rounding.

    The room is :data:`ROUNDING` of the range; of the limit, and 1 at least, where the range is open
    on the other side.
    """
    low, high = float(low), float(high)  # shorter types of numpy's would round, or overflow
    bounds = [abs(limit) for limit in (low, high) if math.isfinite(limit)]
    room = ROUNDING * (high - low if len(bounds) == 2 else max(bounds, default=1.0))
    room = room if len(bounds) == 2 else max(room, ROUNDING)
    largest = sys.float_info.max
    return max(low - room, -largest), min(high + room, largest)


def shown(value: object) -> str:
    """A value in a message: on one line, and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."


def _scalar(value: object) -> object:
    """What an array without axes holds; everything else as it is."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value

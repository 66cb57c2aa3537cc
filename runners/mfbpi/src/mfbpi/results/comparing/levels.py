"""A level that a column is to reach, as people write it: ``>=0.99``, ``<=0.05``."""

from __future__ import annotations

import math
import re

import attrs
import numpy as np

from mfbpi_core.data import exact
from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.errors import UsageError

#: A number, and perhaps which side of it counts.
_TEXT = re.compile(r"\s*(>=|<=)?\s*([^<>=]+)")


@attrs.frozen
class Level:
    """A number, and the side on which a column is beyond it.

    Attributes:
        value: finite.
        at_least: whether it is numbers above that are beyond; else those below.
    """

    value: float
    at_least: bool = True

    @classmethod
    def of(cls, given: object) -> Level:
        """That of a text or a number; one without a sign before it is to be reached from below.

        >>> str(Level.of("<=0.05")), str(Level.of(" >= 1 ")), str(Level.of(0.99))
        ('<= 0.05', '>= 1', '>= 0.99')

        Raises:
            UsageError: for anything else, such as NaN, or "more than" and "equal to".
        """
        number = None if isinstance(given, bool) else exact.real(given)
        text = repr(number) if number is not None else given if isinstance(given, str) else ""
        found = _TEXT.fullmatch(text)
        value = _number(found[2]) if found else math.nan
        if found is None or not math.isfinite(value):
            raise UsageError(
                f"`reaches` is {given!r}; expected a finite number with >= or <= before it, such "
                "as '>=0.99' or '<=0.05' (a number alone means >=)"
            )
        return cls(value, found[1] != "<=")

    def holds(self, values: FloatArray) -> BoolArray:
        """Where values [n] are at the level or beyond it, exactly: nothing is rounded."""
        return values >= self.value if self.at_least else values <= self.value

    def kept_from(self, steps: IntArray, values: FloatArray) -> int | None:
        """The first step from which on values [n] stay at the level or beyond it; None for none.

        Args:
            steps: [n], increasing, one or more.
            values: [n], what was measured there.
        """
        (short,) = np.nonzero(~self.holds(values))
        first = short[-1] + 1 if short.size else 0
        return int(steps[first]) if first < len(steps) else None

    def __str__(self) -> str:
        """As in ``value_ratio >= 0.99``."""
        sign = ">=" if self.at_least else "<="
        return f"{sign} {repr(self.value).removesuffix('.0')}"


def _number(text: str) -> float:
    """The number; NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan

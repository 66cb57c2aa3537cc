"""The bounds are one-dimensional: minimise a convex function of one variable.

U is homogeneous of degree -1 in w, so its minimum over distributions is that of U(w) sum(w) over
w >= 0. Scale w so that K(w) = 1 and let rho = U(w): the least samples that reach rho are
w(s, pi*) = c(s) and w(s, a) = h(s, a) / (rho - d(s, a)), which leaves

    f(rho) = rho (c + sum h / (rho - d)),   rho > max d,

convex with f'(rho) = c - sum h d / (rho - d)^2, where c is the sum of all c(s). Written in
x = rho - max d, no digits are lost where rho is close to max d.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray

#: Newton's method doubles the digits in each step; this many are never needed.
MAX_STEPS = 60

#: From here on neither x nor its square is 0 in floating point.
SAFE = 1e-150


@attrs.frozen(kw_only=True, eq=False)
class Model:
    """The function f of the module's head.

    Attributes:
        c: 0 or more.
        h: float64 [n], 0 or more.
        d: float64 [n], 0 or more.
        top: max d, or more; where it is more, f is finite at its left end, too.
    """

    c: float
    h: FloatArray
    d: FloatArray
    top: float

    def value(self, x: float) -> float:
        """Value f(top + x)."""
        terms = _over(self.h, x + self._offset, safe=x >= SAFE)
        return (self.top + x) * (self.c + float(terms.sum()))

    def slope(self, x: float) -> float:
        """Derivative f'(top + x)."""
        terms = _over(self._pull, (x + self._offset) ** 2, safe=x >= SAFE)
        return self.c - float(terms.sum())

    def floor(self, x: float) -> float:
        """A certified lower bound on f, from convexity and the slope at the minimiser x.

        The least value lies between 0 and f(x) / c - top, because f(rho) >= c rho.
        """
        if not np.isfinite(x):
            return float(self.h.sum())
        value, slope = self.value(x), self.slope(x)
        if slope < 0.0 and self.c > 0.0:
            return value + slope * max(value / self.c - self.top - x, 0.0)
        return value - max(slope, 0.0) * x

    @property
    def closed(self) -> bool:
        """Whether f is finite at rho = top."""
        return bool((self._offset > 0.0).all())

    def minimum(self) -> tuple[float, float]:
        """The pair (x, f) of the least value; x is 0 or infinite where it is a limit."""
        x = self.minimiser
        return x, self.value(x) if np.isfinite(x) else float(self.h.sum())

    @functools.cached_property
    def minimiser(self) -> float:
        """Where the least value is, x; 0 or infinite where it is a limit."""
        if not self._pull.any():
            return 0.0
        return self._root() if self.c > 0.0 else np.inf

    @functools.cached_property
    def _pull(self) -> FloatArray:
        return self.h * self.d

    @functools.cached_property
    def _offset(self) -> FloatArray:
        return self.top - self.d

    def _root(self) -> float:
        """Solve g(x) = sum pull / (x + top - d)^2 = c by Newton's method on g^(-1/2).

        That function is concave and increasing, and each single pole gives a start that lies to
        the left of the root: the steps go up to the root and never beyond.
        """
        pull, offset = self._pull, self._offset
        x = max(float((np.sqrt(pull / self.c) - offset).max()), 0.0)
        goal = self.c**-0.5
        for _ in range(MAX_STEPS):
            reach = np.where(pull > 0.0, x + offset, 1.0)
            squares = pull / reach**2
            total = float(squares.sum())
            step = (goal - total**-0.5) * total**1.5 / float((squares / reach).sum())
            x += max(step, 0.0)
            if step <= 2e-16 * x:
                break
        return x


def _over(numerator: FloatArray, denominator: FloatArray, *, safe: bool) -> FloatArray:
    """Quotient, 0 where the numerator is 0; ``safe`` says that no denominator is."""
    if safe:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator > 0.0, numerator / denominator, 0.0)

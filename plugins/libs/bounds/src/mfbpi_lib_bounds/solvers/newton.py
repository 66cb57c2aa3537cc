"""Newton's method on the optimality conditions of :mod:`mfbpi_lib_bounds.solvers.interior`."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.generative import least_weights, scalar_model
from mfbpi_lib_bounds.solvers.normal import Normal

#: Share of the way to the boundary that a step goes, while the gap is wide.
BOLD = 0.9

#: Largest share by which x may fall in one step.
SHRINK = 0.7

#: Corrections of centrality: how many, how much further each aims, what it must gain, and how
#: far products v z may lie from their target.
CORRECTIONS = 3
FURTHER = 0.3
GAIN = 0.03
SPREAD = 10.0

#: Relative residuals of linear systems: of a prediction, and of all else.
ROUGH, FINE = 1e-3, 1e-6


@attrs.define(eq=False)
class Point:
    """Where the method is: v [n], y [m], z [n] and x."""

    v: FloatArray
    y: FloatArray
    z: FloatArray
    x: float


@attrs.frozen(eq=False)
class Step:
    """A change of v [n], y [m], z [n] and x."""

    v: FloatArray
    y: FloatArray
    z: FloatArray
    x: float

    def plus(self, other: Step) -> Step:
        """The sum of two."""
        return Step(self.v + other.v, self.y + other.y, self.z + other.z, self.x + other.x)

    def reach(self, point: Point) -> tuple[float, float]:
        """How far v and x, and how far z, can go along this step and stay positive; at most 1."""
        primal = min(reach_of(point.v, self.v), -SHRINK * point.x / min(self.x, -SHRINK * point.x))
        return primal, reach_of(point.z, self.z)


class Newton:
    """The linear systems at one point."""

    def __init__(
        self,
        point: Point,
        least: Least,
        into: Any,
        normal: Normal,
        matrix: Any,
    ) -> None:
        self.point, self.normal, self.matrix, self.into = point, normal, matrix, into
        self.least, self.slope, self.bend = least.at(point.x)
        self.missing = into @ (self.least + point.v)
        self.pull = float(point.z @ self.slope)
        self.ratio = point.v / point.z
        self.n_pairs = len(point.v)
        self.curvature = float(point.z @ self.bend)
        if not self.curvature > 0.0:
            raise SolverError("the interior point method needs a bound that is curved in x")
        self.lean = into @ self.slope / np.sqrt(self.curvature)
        self.prepare()

    def prepare(self) -> None:
        """Set up the linear systems."""
        self.normal.update(self.ratio, self.lean)

    def left(self, flows: FloatArray) -> float:
        """Relative gap, about, of the point with these flows [n]."""
        loss = self.pull**2 / (2.0 * self.curvature)
        return float((flows @ self.point.z + loss) / (self.least + flows).sum())

    def step(self) -> Step:
        """Predict, correct, and correct for centrality as long as that makes the step longer."""
        point = self.point
        products = point.v * point.z
        first = self.direction(-products, self.missing, self.pull, ROUGH)
        primal, dual = first.reach(point)
        after = (point.v + primal * first.v) @ (point.z + dual * first.z) / self.n_pairs
        mean = products.mean()
        goal = float((after / mean) ** 3 * mean)
        step = self.direction(goal - products - first.v * first.z, self.missing, self.pull, FINE)
        return self._centred(step, goal)

    def _centred(self, step: Step, goal: float) -> Step:
        """The step with corrections of centrality (Gondzio)."""
        point, (primal, dual) = self.point, step.reach(self.point)
        for _ in range(CORRECTIONS):
            if min(primal, dual) >= BOLD:
                break
            far = [min(1.0, one + FURTHER) for one in (primal, dual)]
            products = (point.v + far[0] * step.v) * (point.z + far[1] * step.z)
            off = np.clip(products, goal / SPREAD, goal * SPREAD) - products
            target = np.maximum(off, -SPREAD * goal)
            tried = step.plus(self.direction(target, np.zeros(len(point.y)), 0.0, FINE))
            reach = tried.reach(point)
            if sum(reach) < primal + dual + GAIN:
                break
            step, (primal, dual) = tried, reach
        return step

    def direction(
        self, products: FloatArray, missing: FloatArray, pull: float, tolerance: float
    ) -> Step:
        """Solve for changes of v z by ``products`` that undo ``missing`` flow [m] and ``pull``."""
        own, root = products / self.point.z, float(np.sqrt(self.curvature))
        right = self.lean * (pull / root) - missing - self.into @ own
        y = self.normal.solve(right, tolerance)
        z = -(self.matrix @ y)
        return Step(own - self.ratio * z, y, z, (float(self.lean @ y) - pull / root) / root)


class Least:
    """The function l of the module's head, for the pairs that act, over its sum at the start."""

    def __init__(self, coefficients: Coefficients) -> None:
        model = scalar_model(coefficients)
        acting = np.repeat(coefficients.acting, coefficients.h.shape[1])
        self.x, self.top = model.minimiser, model.top
        if not 0.0 < self.x < np.inf:
            raise SolverError("the interior point method needs a minimum in the interior")
        self.scale = (self.top + self.x) * float(least_weights(coefficients, self.x).sum())
        own, states = np.zeros(coefficients.h.shape), np.flatnonzero(coefficients.acting)
        own[states, coefficients.policy[states]] = coefficients.c[states] / self.scale
        h = np.where(coefficients.suboptimal, coefficients.h, 0.0) / self.scale
        d = np.where(coefficients.suboptimal, coefficients.d, 0.0)
        self._own, self._h, self._d = (table.reshape(-1)[acting] for table in (own, h, d))

    def at(self, x: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """l(x) and its first and second derivative, each [n]."""
        over = x + (self.top - self._d)
        share = self._h * self._d / over
        least = (self.top + x) * self._own + self._h + share
        return least, self._own - share / over, 2.0 * share / over**2


def reach_of(numbers: FloatArray, change: FloatArray) -> float:
    """How far positive numbers can go along a change and stay so; at most 1."""
    falls = change < 0.0
    return min(1.0, float((-numbers[falls] / change[falls]).min(initial=1.0)))

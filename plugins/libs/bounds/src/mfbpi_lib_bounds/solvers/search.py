"""The search for the least value of a bound over the allocations that a walk can follow.

With m(rho) the least sum(w) of :mod:`mfbpi_lib_bounds.solvers.programme` for the lower bounds of
:mod:`mfbpi_lib_bounds.scalar`, the value is the least f(rho) = rho m(rho). The reduced costs of
one programme bound m(rho) from below for every rho, which gives a convex scalar model that
touches f where the programme was solved. So minimise the models found so far, solve the
programme there, and repeat: a handful of programmes is enough. Where the minimum is at a kink,
one model falls and one rises there; a mean of the two, again the reduced costs of a feasible
dual, has its least value at the kink.
"""

from __future__ import annotations

from typing import Protocol

import attrs
import numpy as np
from scipy import optimize, sparse

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_bounds.generative import least_weights, scalar_model
from mfbpi_lib_bounds.scalar import Model
from mfbpi_lib_bounds.solution import Basis, Solution, Vertex
from mfbpi_lib_bounds.solvers.flow import Flow, arrivals

#: Cap on the programmes of one solve.
MAX_PROGRAMMES = 60

#: Flow residual up to which an allocation is left as it is, and the relative loss of value that
#: a smaller residual is worth.
BALANCED = 5e-13
ACCEPTED_LOSS = 5e-10

#: Factor by which the search leaves a model without a least value.
STRIDE = 16.0


#: Share of an interval that is as good as its left end, where that is 0.
NEXT_TO_NOTHING = 1e-18


@attrs.define(eq=False)
class _Best:
    """The least weights found so far, the best certificate, and how much rounding blurs it."""

    weights: FloatArray
    value: float = np.inf
    lower: float = 0.0
    x: float = 0.0
    blur: float = 0.0


@attrs.frozen(eq=False)
class _Touch:
    """A model that is never above f, and the point where it touches f."""

    model: Model
    x: float


class Programmes(Protocol):
    """What solves the programmes of one instance."""

    @property
    def name(self) -> str:
        """Name and version, for the reader of a solution."""

    @property
    def matrix(self) -> sparse.csr_array:
        """N, [n, m]."""

    @property
    def basis(self) -> Basis | None:
        """Where the last solve ended."""

    def solve(self, least: FloatArray) -> Vertex:
        """Solve for the lower bounds ``least`` [n]."""


class Search:
    """The state of one minimisation.

    Args:
        coefficients: the bound, with a sub-optimal pair.
        flow: the walks among the states that act.
        programme: what solves the programmes.
        x: where to begin; at the optimum without flow equations if None.
    """

    def __init__(
        self, coefficients: Coefficients, flow: Flow, programme: Programmes, x: float | None
    ) -> None:
        self.coefficients = coefficients
        self.pairs = np.repeat(coefficients.acting, coefficients.h.shape[1])  # [S A]
        self.flow = flow
        self.programme = programme
        self.model = scalar_model(coefficients)
        self.x = self.model.minimiser if x is None else x
        self.best = _Best(np.zeros(coefficients.h.shape))
        self.falling: _Touch | None = None
        self.rising: _Touch | None = None

    def run(self, target_gap: float) -> Solution:
        """Solve programmes until the relative gap is the target or no longer shrinks."""
        for count in range(1, MAX_PROGRAMMES + 1):
            before, x = self._gap(), self.x
            self._visit(x)
            if self._gap() <= target_gap * self.best.value or self.x == x:
                break
            if count > 2 and self._gap() >= before <= 1e-12 * self.best.value:
                break
        allocation = self._balanced(self.best.weights / self.best.weights.sum())
        return Solution(
            value=evaluate(self.coefficients, allocation),
            allocation=allocation,
            lower=self.best.lower * (1.0 - self.best.blur),
            residual=self._residual(allocation),
            n_programmes=count,
            x=self.best.x,
            basis=self.programme.basis,
            solver=self.programme.name,
        )

    def _balanced(self, allocation: FloatArray) -> FloatArray:
        """The allocation [S, A], its flow made exact where HiGHS left too much.

        The walk that takes actions in the same proportions has the frequencies of its chain.
        """
        if self._residual(allocation) <= BALANCED:
            return allocation
        acting = self.coefficients.acting
        policy = allocation[acting] / allocation[acting].sum(axis=1, keepdims=True)
        exact = self._everywhere(self.flow.frequencies(policy).reshape(-1))
        value = evaluate(self.coefficients, exact)
        as_good = value <= self.best.value * (1.0 + ACCEPTED_LOSS)
        return (
            exact if as_good and self._residual(exact) < self._residual(allocation) else allocation
        )

    def _residual(self, allocation: FloatArray) -> float:
        weights = allocation.reshape(-1)[self.pairs]
        return float(np.abs(arrivals(self.programme.matrix, weights)).max())

    def _gap(self) -> float:
        return self.best.value - self.best.lower

    def _visit(self, x: float) -> None:
        """Solve the programme at x, and choose the next x from the models known then."""
        least = least_weights(self.coefficients, x).reshape(-1)[self.pairs]
        vertex = self.programme.solve(least)
        self.best.blur = max(self.best.blur, vertex.blur)
        weights = self._everywhere(vertex.weights)
        value = evaluate(self.coefficients, weights) * float(weights.sum())
        if value < self.best.value:
            self.best.weights, self.best.value, self.best.x = weights, value, x
        touch = _Touch(self._model(vertex), x)
        if touch.model.slope(x) <= 0.0:
            self.falling = touch
        else:
            self.rising = touch
        self.x, lower = self._next(x)
        self.best.lower = max(self.best.lower, lower)

    def _model(self, vertex: Vertex) -> Model:
        """The lower model of f that the reduced costs of a programme give."""
        costs = self._everywhere(vertex.costs)
        states = np.flatnonzero(self.coefficients.acting)
        own = costs[states, self.coefficients.policy[states]]
        c = float(own @ self.coefficients.c[states])
        return attrs.evolve(self.model, c=c, h=self.model.h * costs[self.coefficients.suboptimal])

    def _everywhere(self, numbers: FloatArray) -> FloatArray:
        """Numbers of the pairs that act as an array [S, A], 0 elsewhere."""
        table: FloatArray = np.zeros(self.coefficients.h.shape)
        table[self.coefficients.acting] = numbers.reshape(-1, self.coefficients.h.shape[1])
        return table

    def _next(self, x: float) -> tuple[float, float]:
        """Where the largest of the two models is least, and a certified lower bound of it."""
        if self.falling is None or self.rising is None:
            only = self.falling or self.rising
            assert only is not None
            return _within(only.model, x)
        return _minimax(self.falling, self.rising)


def _within(model: Model, x: float) -> tuple[float, float]:
    """The minimiser of one model, at most a stride from x, and the model's least value."""
    lowest = model.minimiser
    if model.closed and (x == 0.0 or lowest == 0.0) and np.isfinite(lowest):
        return lowest, model.floor(lowest)
    return float(np.clip(lowest, x / STRIDE, x * STRIDE)), model.floor(lowest)


def _minimax(falling: _Touch, rising: _Touch) -> tuple[float, float]:
    """The minimiser of the larger of two models, and a certified lower bound of its value.

    Each is the larger one where it touches f, so the minimiser lies between these points.
    """
    down, up = falling.model, rising.model
    right, left = down.minimiser, up.minimiser
    if right <= rising.x and down.value(right) >= up.value(right):
        return right, down.floor(right)
    if left >= falling.x and up.value(left) >= down.value(left):
        return left, up.floor(left)
    x = _crossing(down, up, max(falling.x, left), min(rising.x, right))
    steep, gentle = -down.slope(x), up.slope(x)
    share = float(np.clip(steep / (steep + gentle), 0.0, 1.0)) if steep + gentle > 0.0 else 0.5
    mean = attrs.evolve(
        down, c=(1.0 - share) * down.c + share * up.c, h=(1.0 - share) * down.h + share * up.h
    )
    return x, mean.floor(mean.minimiser)


def _crossing(falling: Model, rising: Model, low: float, high: float) -> float:
    """Where the rising model overtakes the falling one."""

    def excess(log_x: float) -> float:
        """By how much the rising model is above the falling one, at exp(log_x)."""
        x = float(np.exp(log_x))
        return rising.value(x) - falling.value(x)

    ends = float(np.log(max(low, NEXT_TO_NOTHING * high))), float(np.log(high))
    if excess(ends[0]) >= 0.0:  # they touch there, up to rounding
        return low
    if excess(ends[1]) <= 0.0:
        return high
    return float(np.exp(optimize.brentq(excess, *ends, xtol=1e-15)))

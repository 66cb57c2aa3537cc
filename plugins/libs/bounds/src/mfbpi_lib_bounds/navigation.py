"""The least value of a bound over the allocations that a walk can follow, certified.

:mod:`mfbpi_lib_bounds.solvers.search` finds it with a handful of linear programmes. HiGHS solves
them in doubles; large random graphs, whose bases fill in, go to an interior point method of our own
first (:mod:`mfbpi_lib_bounds.solvers.interior`). Where what is found does not pass the checks made
here, HiGHS is asked again in other ways, and at last small instances are solved in decimal
arithmetic of many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import attrs
import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.coefficients import Coefficients, out_of_range
from mfbpi_lib_bounds.generative import nothing_to_learn
from mfbpi_lib_bounds.solution import Solution, WarmStart
from mfbpi_lib_bounds.solvers.exact import ExactProgramme
from mfbpi_lib_bounds.solvers.flow import Flow
from mfbpi_lib_bounds.solvers.interior import Interior, is_entangled
from mfbpi_lib_bounds.solvers.programme import TACTICS, Programme
from mfbpi_lib_bounds.solvers.search import Programmes, Search

#: The search ends when the certified relative gap is this small, or no longer shrinks.
TARGET_GAP = 1e-13

#: Certified relative gap and flow residual up to which a solution is called optimal.
OPTIMAL_GAP = 1e-9
OPTIMAL_RESIDUAL = 1e-12

#: How much worse a value below its own lower bound is than one as far above it.
BELOW = 10.0

#: Largest imbalance of a state, relative to what leaves it.
OPTIMAL_IMBALANCE = 1e-9

#: From this many states on, and up to so many that a dense matrix fits into memory, instances whose
#: bases fill in are solved by the interior point method, to this relative gap or less.
INTERIOR_STATES = 500
MOST_STATES = 20_000
INTERIOR_GAP = 4e-10

#: Instances up to this many pairs are solved in decimal arithmetic where doubles fail.
EXACT_PAIRS = 400


def minimise(
    coefficients: Coefficients,
    walk: sparse.csr_array,
    start: WarmStart | None = None,
    target_gap: float = TARGET_GAP,
) -> Solution:
    """Minimise U over the stationary allocations of walks.

    Args:
        coefficients: the bound, finite.
        walk: sparse [S A, S], where a walk is after each pair, row s A + a; rows and columns of
            states that do not act are left out of account. Every state that acts must be
            reachable from every other.
        start: where the search for a like problem ended, :attr:`Solution.end`.
        target_gap: certified relative gap at which the search may end.

    Returns:
        The best allocation found, re-evaluated, with its certificate.

    Raises:
        SolverError: when a programme cannot be solved in any way.
    """
    pairs = np.repeat(coefficients.acting, coefficients.h.shape[1])
    kept = walk if coefficients.acting.all() else walk[pairs][:, coefficients.acting]
    flow = Flow(kept, coefficients.h.shape[1])
    if not coefficients.suboptimal.any():
        return _even_walk(coefficients, flow)
    best, doubt, failure = None, np.inf, "no programme led to a finite value"
    for way in _ways(coefficients, flow, start, target_gap):
        try:
            found = way()
        except SolverError as error:
            failure = str(error)
            continue
        except ArithmeticError:
            failure = str(out_of_range())
            continue
        left = _doubt(found, flow, target_gap, pairs)
        if left < doubt:
            best, doubt = found, left
        if doubt <= 1.0:
            break
    if best is None:
        raise SolverError(failure)
    return best


def _ways(
    coefficients: Coefficients, flow: Flow, start: WarmStart | None, target_gap: float
) -> Iterator[Callable[[], Solution]]:
    """Ways to a solution, the fastest first."""

    def search(make: Callable[[], Programmes], x: float | None = None) -> Solution:
        return Search(coefficients, flow, make(), x).run(target_gap)

    entangled = INTERIOR_STATES <= flow.shape[1] <= MOST_STATES and is_entangled(flow)
    if start is not None and (start.basis is not None or not entangled):
        make = partial(Programme, flow, start.basis, gap=target_gap)
        yield partial(search, make, start.x if start.x > 0.0 else None)
    if entangled:
        yield partial(_interior, coefficients, flow, max(target_gap, INTERIOR_GAP))
    for tactic in TACTICS:
        yield partial(search, partial(Programme, flow, tactic=tactic, gap=target_gap))
    if flow.shape[0] <= EXACT_PAIRS:
        yield partial(search, partial(ExactProgramme, flow))


def _interior(coefficients: Coefficients, flow: Flow, gap: float) -> Solution:
    """By :mod:`mfbpi_lib_bounds.solvers.interior`, with the certificate of the search."""
    method = Interior(coefficients, flow, gap / 2.0)
    try:
        with np.errstate(all="ignore"):  # what is not finite is noticed
            method.run()
    except MemoryError as error:
        raise SolverError("the interior point method runs out of memory") from error
    return Search(coefficients, flow, method, method.x).run(gap)


def _doubt(found: Solution, flow: Flow, target_gap: float, pairs: npt.NDArray[np.bool_]) -> float:
    """By how much a solution fails its worst check; it passes them with 1 or less.

    An allocation that is not in balance can have a value below the least one. Who asks for less
    than the usual gap does not ask for balance either.
    """
    gap = (found.value - found.lower) / found.value
    gap = max(gap, -BELOW * gap)
    if target_gap > OPTIMAL_GAP:
        return gap / target_gap
    imbalance = flow.imbalance(found.allocation.reshape(-1)[pairs])
    checks = gap / OPTIMAL_GAP, found.residual / OPTIMAL_RESIDUAL, imbalance / OPTIMAL_IMBALANCE
    return max(checks)


def _even_walk(coefficients: Coefficients, flow: Flow) -> Solution:
    """Nothing to learn: any walk will do, here the one that takes all actions equally often.

    Its frequencies are those of a chain, for which no programme has to be solved.
    """
    even = nothing_to_learn(coefficients)
    allocation: FloatArray = np.zeros(coefficients.h.shape)
    chances = np.ones(coefficients.h.shape)[coefficients.acting] / coefficients.h.shape[1]
    allocation[coefficients.acting] = flow.frequencies(chances)
    weights = allocation[coefficients.acting].reshape(-1)
    residual = float(np.abs(weights @ flow.equations).max())
    return attrs.evolve(even, allocation=allocation, residual=residual)

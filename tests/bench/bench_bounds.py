"""Bounds: the exact solver against a plain cvxpy formulation, and its own times and scale."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import attrs
import numpy as np

from mfbpi_bound_u.bound import Config, U
from mfbpi_core import TabularMDP
from mfbpi_env_riverswim.environment import riverswim
from mfbpi_lib_bounds import generative, navigation
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular.analysis import structure
from tests.bench.naive_cvxpy import minimise as naive
from tests.bench.timing import seconds

DISCOUNT = 0.99


def coefficients(mdp: TabularMDP) -> Coefficients:
    """Coefficients of the bound u."""
    return U(DISCOUNT, Config()).coefficients(PlannedInstance(mdp=mdp, discount=DISCOUNT))


def garnet(n_states: int) -> TabularMDP:
    """A random sparse instance, 3 actions with 5 successors each."""
    rng = np.random.default_rng(0)
    shape = (n_states, 3, 5)
    weights = rng.dirichlet(np.ones(5), size=shape[:2])
    return TabularMDP.from_successors(
        rng.integers(n_states, size=shape), weights, rng.random(shape[:2])
    )


def median(action: Callable[[], object], rounds: int = 101) -> float:
    """Median seconds of many calls."""
    return statistics.median(seconds(action) for _ in range(rounds))


def rows() -> Iterator[str]:
    """Times at 50 states, the ratio at 20, and the large instances."""
    yield from small()
    yield against_cvxpy()
    large = garnet(100_000)
    spent = seconds(lambda: (U(DISCOUNT, Config()).solve(large), structure.is_communicating(large)))
    yield f"bound u, generative, Garnet 100,000, with planning: {spent:.3f} s"
    thousand = garnet(1_000)
    spent = seconds(lambda: U(DISCOUNT, Config()).solve(thousand, "navigation"))
    yield f"bound u, navigation, Garnet 1,000, with planning: {spent:.3f} s"


def small() -> Iterator[str]:
    """RiverSwim 50: without constraint, and by walking from warm data."""
    mdp = riverswim(50)
    made, walk = coefficients(mdp), structure.walk(mdp)
    # A fresh copy each time, as nothing of an earlier solve may be kept.
    spent = median(lambda: generative.minimise(attrs.evolve(made)))
    yield f"bound u, generative, 50 states: {spent * 1e3:.4f} ms"
    start = navigation.minimise(made, walk)
    spent = median(lambda: navigation.minimise(made, walk, start=start))
    yield f"bound u, navigation, 50 states, from warm data: {spent * 1e3:.3f} ms"


def against_cvxpy() -> str:
    """RiverSwim 20, navigation: how much slower, and how far off, plain cvxpy is."""
    mdp = riverswim(20)
    made, walk = coefficients(mdp), structure.walk(mdp)
    exact = navigation.minimise(made, walk)
    ours = median(lambda: navigation.minimise(made, walk), 21)
    found: list[tuple[float, str]] = []
    theirs = median(lambda: found.append(naive(made, mdp.transitions)), 3)
    value, status = found[-1]
    verdict = "and fails" if status == "failed" else f"and {value / exact.value - 1:+.2%} off"
    return (
        f"bound u, navigation, 20 states: exact {ours * 1e3:.3f} ms, plain cvxpy "
        f"{theirs * 1e3:.0f} ms, {theirs / ours:.0f} times slower {verdict} (status {status})"
    )

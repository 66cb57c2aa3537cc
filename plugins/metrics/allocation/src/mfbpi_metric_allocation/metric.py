"""Allocation: how far the samples are from where a bound says that they should go.

    allocation_tv = |omega - omega*|_1 / 2,    allocation_bound = U(omega),
    visits_tv     = |f - omega*|_1 / 2,        visits_bound     = U(f),

with omega the allocation [S, A] that the agent's sampling rule aims at, f(s, a) = N(s, a) / t the
frequencies of the pairs in the t steps so far, U a bound on the characteristic time of the
environment's exact model, and omega* the allocation where U is least.

The optimum is solved for once, at the first measurement, by the bound that the parameter ``bound``
names. A step is counted at the observation in which its action was taken, so
that the counts sum to the number of steps.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", Theorem
3.2 (the bound) and numerical experiments.
"""

from __future__ import annotations

import functools
import math
from typing import cast

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import (
    Bound,
    Constraint,
    Environment,
    Problem,
    Snapshot,
    TabularMDP,
    bound_parameter,
    parameter,
)
from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_core.errors import PluginError, SolverError, UsageError
from mfbpi_core.plugins import bounding
from mfbpi_lib_tabular.learning.pairs import PairMetric


@attrs.frozen(kw_only=True)
class Config:
    """Parameters."""

    bound: str = bound_parameter(
        "u",
        "u: largest moment up to k; u_k: one moment; u_tilde: u relaxed; u0: variance and span; "
        "or any other bound that is installed, or ./FILE.py:CLASS",
        passes={"k": ("k", "k_max")},
        source="Russo & Proutiere 2023, Theorem 3.2",
    )
    k: int | None = parameter(
        None,
        "moment order of u_k (1 if none), largest one of u and u_tilde (19 if none)",
        ge=1,
        le=40,
        source="Russo & Proutiere 2023, numerical experiments",
    )
    constraint: str = parameter(
        "navigation",
        "optimum over the allocations of walks, or over all (a simulator asked for any pair)",
        choices=("navigation", "generative"),
    )


@attrs.frozen(eq=False)
class Target:
    """A bound on an instance, and the allocation that it asks for.

    Attributes:
        bound: the bound.
        model: the instance.
        allocation: omega*, float64 [S, A], where it is least.
    """

    bound: Bound
    model: TabularMDP
    allocation: FloatArray

    def value(self, weights: FloatArray) -> float:
        """U at a distribution [S, A]; infinite where the bound does not take it for one."""
        try:
            return bounding.evaluated(self.bound, self.model, weights)
        except PluginError:
            raise
        except UsageError:
            return math.inf


def total_variation(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Half the sum of absolute differences of two distributions of equal shape, in [0, 1]."""
    distance = 0.5 * float(np.abs(np.asarray(one) - np.asarray(other)).sum())
    return min(distance, 1.0)  # rounding alone can leave [0, 1]


def solve(bound: Bound, model: TabularMDP, constraint: Constraint) -> Target | None:
    """The optimum of a bound on an instance; None where there is nothing to aim at.

    That is where the bound is infinite because the optimal policy is not unique, where a gap is
    too small for floating point to tell from zero or to be squared, and where no walk can sample
    every pair.

    Raises:
        SolverError: when the bound has finite values, but its least one is not found.
    """
    even = np.repeat(~model.terminal, model.n_actions).reshape(model.n_states, -1)
    try:
        finite = math.isfinite(bounding.evaluated(bound, model, even / even.sum()))
    except SolverError:
        return None
    found = bounding.solved(bound, model, constraint) if finite else None
    if found is None or found.allocation is None:
        return None
    return Target(bound, model, found.allocation)


class AllocationDistance(PairMetric[Config]):
    """The metric ``allocation``.

    Columns that do not apply are left out: all where the instance has no finite bound, those of
    the allocation where the agent has none, those of the visits before the first step, and a bound
    that is infinite because a pair that matters has no sample.

    Attributes:
        bound: the bound, at the discount of the problem.
        model: the exact model.
        counts: N, int64 [S, A], steps in which each pair was taken.

    Raises:
        RequirementError: when the environment has no exact model or no integer states.
    """

    config: Config

    def __init__(
        self,
        problem: Problem,
        environment: Environment,
        config: Config,
        rng: np.random.Generator,
        *,
        bound: Bound,
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.bound = bound

    @functools.cached_property
    def target(self) -> Target | None:
        """The bound and its optimum, solved for when first asked for."""
        return solve(self.bound, self.model, cast(Constraint, self.config.constraint))

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """The four columns, those that apply."""
        target, total = self.target, int(self.counts.sum())
        if target is None:
            return {}
        found: dict[str, float] = {}
        if snapshot.allocation is not None:
            found |= _columns("allocation", snapshot.allocation, target)
        if total:
            found |= _columns("visits", self.counts / total, target)
        return found

    def arrays(self) -> dict[str, Array]:
        """``pair_visits``, int64 [S, A], and where there is one, ``optimal_allocation`` [S, A]."""
        arrays: dict[str, Array] = {"pair_visits": self.counts.copy()}
        if self.target is not None:
            arrays["optimal_allocation"] = self.target.allocation.copy()
        return arrays


def _columns(name: str, weights: FloatArray, target: Target) -> dict[str, float]:
    """Distance and bound of a distribution [S, A], the bound only where it is finite."""
    columns = {f"{name}_tv": total_variation(weights, target.allocation)}
    value = target.value(weights)
    if math.isfinite(value):
        columns[f"{name}_bound"] = value
    return columns

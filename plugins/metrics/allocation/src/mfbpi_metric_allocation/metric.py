"""Allocation: how far the samples are from where a bound says that they should go.

    allocation_tv = |omega - omega*|_1 / 2,    allocation_bound = U(omega),
    visits_tv     = |f - omega*|_1 / 2,        visits_bound     = U(f),

with omega the allocation [S, A] that the agent's sampling rule aims at, f(s, a) = N(s, a) / t the
frequencies of the pairs in the t steps so far, U a bound on the characteristic time of the
environment's exact model, and omega* the allocation where U is least.

The optimum is solved for once, at the first measurement, exactly and with a certificate
(:mod:`mfbpi_lib_bounds`). A step is counted at the observation in which its action was taken, so
that the counts sum to the number of steps.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", Theorem
3.2 (the bound) and numerical experiments.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment, Metric, Problem, Snapshot, TabularMDP, Transitions, parameter
from mfbpi_core.errors import RequirementError, SolverError
from mfbpi_lib_bounds import coefficients, generative, navigation, planned
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import Instance
from mfbpi_lib_tabular.solution import moments

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True)
class Config:
    """Parameters."""

    bound: str = parameter(
        "u",
        "u: largest moment up to k; u_k: one moment; u_tilde: u relaxed; u0: variance and span",
        choices=("u", "u_k", "u_tilde", "u0"),
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
    """A bound and the allocation that it asks for.

    Attributes:
        bound: the bound, as a function of the allocation.
        allocation: omega*, float64 [S, A], where it is least.
    """

    bound: Coefficients
    allocation: FloatArray


def total_variation(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Half the sum of absolute differences of two distributions of equal shape, in [0, 1]."""
    distance = 0.5 * float(np.abs(np.asarray(one) - np.asarray(other)).sum())
    return min(distance, 1.0)  # rounding alone can leave [0, 1]


def pair_counts(states: npt.ArrayLike, actions: npt.ArrayLike, shape: tuple[int, int]) -> IntArray:
    """How often each pair occurs, int64 [S, A]; ``states`` and ``actions`` are integers [n]."""
    pairs = np.asarray(states, dtype=np.int64) * shape[1] + np.asarray(actions, dtype=np.int64)
    counts: IntArray = np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape)
    return counts


def solve(mdp: TabularMDP, discount: float, config: Config) -> Target | None:
    """The bound of an instance and its optimum; None where there is nothing to aim at.

    That is where every bound is infinite because the optimal policy is not unique, where a gap is
    too small for floating point to tell from zero or to be squared, and where no walk can sample
    every pair.

    Raises:
        SolverError: when a linear programme cannot be solved.
    """
    instance = Instance(mdp=mdp, discount=discount)
    if instance.separation.ties or instance.separation.unresolved:
        return None
    try:
        bound = coefficients.within_range(lambda: bound_of(instance, config))
    except SolverError:
        return None
    if config.constraint == "generative":
        return Target(bound, generative.minimise(bound).allocation)
    if instance.navigation_reason():
        return None
    return Target(bound, navigation.minimise(bound, instance.walk).allocation)


def bound_of(instance: Instance, config: Config) -> Coefficients:
    """The bound that the configuration names, for an instance without ties."""
    if config.bound == "u0":
        return planned.u0(instance)
    if config.bound == "u_k":
        return planned.u_k(instance, config.k or 1)
    maker = planned.u if config.bound == "u" else planned.u_tilde
    return maker(instance, config.k or moments.K_MAX)


class AllocationDistance(Metric[Config]):
    """The metric ``allocation``.

    Columns that do not apply are left out: all where the instance has no finite bound, those of
    the allocation where the agent has none, those of the visits before the first step, and a bound
    that is infinite because a pair that matters has no sample.

    Attributes:
        counts: N, int64 [S, A], steps in which each pair was taken.

    Raises:
        RequirementError: when the environment has no exact model or no integer states.
    """

    config: Config

    def __init__(
        self, problem: Problem, environment: Environment, config: Config, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self._model = _model(problem, environment)
        self.counts = pair_counts([], [], (self._model.n_states, self._model.n_actions))

    @functools.cached_property
    def target(self) -> Target | None:
        """The bound and its optimum, solved for when first asked for."""
        return solve(self._model, self.problem.discount, self.config)

    def observe(self, transitions: Transitions) -> None:
        """Count the pairs; memory is one integer a pair."""
        observed = transitions.observations, transitions.actions
        self.counts += pair_counts(*observed, self.counts.shape)

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

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """``pair_visits``, int64 [S, A], and where there is one, ``optimal_allocation`` [S, A]."""
        arrays: dict[str, npt.NDArray[Any]] = {"pair_visits": self.counts.copy()}
        if self.target is not None:
            arrays["optimal_allocation"] = self.target.allocation.copy()
        return arrays

    def state_dict(self) -> dict[str, Any]:
        """The counts, as a copy; the optimum can be computed anew."""
        return {"counts": self.counts.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.counts[:] = state["counts"]


def _columns(name: str, weights: FloatArray, target: Target) -> dict[str, float]:
    """Distance and bound of a distribution [S, A], the bound only where it is finite."""
    columns = {f"{name}_tv": total_variation(weights, target.allocation)}
    value = coefficients.evaluate(target.bound, weights)
    if math.isfinite(value):
        columns[f"{name}_bound"] = value
    return columns


def _model(problem: Problem, environment: Environment) -> TabularMDP:
    model = environment.model
    if model is None or problem.n_states is None:
        raise RequirementError(
            f"{type(environment).__name__} has no "
            f"{'exact model' if model is None else 'integer states'}; the metric allocation "
            "expects both (Environment.model, Environment.n_states)"
        )
    return model

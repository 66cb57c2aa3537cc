"""Checks of bounds: feasible and optimal allocations, invariance, ties."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.flow import ROUNDING, flow_residual
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import UsageError
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import DISCOUNT, Subject
from mfbpi_core.testing.worlds.instances import random_mdp, relabelled, tied_mdp

#: Seeds of the random instances that every bound is solved on.
INSTANCE_SEEDS = (3, 4)

#: Number of random feasible allocations that none may beat.
N_ALLOCATIONS = 100

#: Largest deviation of a sum from one, and of a flow from balance.
FEASIBLE = ROUNDING

#: Largest relative difference between a value and its re-evaluation.
EVALUATED = 1e-9

#: Largest relative difference between the values of one instance under two labellings, on top
#: of the gaps that the solutions declare.
RELABELLED = 1e-6


def allocation_on_simplex(subject: Subject) -> None:
    """The allocation is a distribution over state-action pairs, the value finite."""
    for mdp, constraint, solution in _solutions(subject):
        omega = _allocation(solution, constraint)
        shape = (mdp.n_states, mdp.n_actions)
        require(omega.shape == shape, f"{constraint}: shape {omega.shape}; expected {shape}")
        low, total = float(omega.min()), float(omega.sum())
        good = low >= 0.0 and abs(total - 1.0) <= FEASIBLE
        require(good, f"{constraint}: minimum {low:.6g} and sum {total:.12g}; expected 0, 1")


def navigation_is_feasible(subject: Subject) -> None:
    """Under the navigation constraint, what enters a state leaves it, and the residual is true."""
    for mdp, constraint, solution in _solutions(subject, ("navigation",)):
        omega = _allocation(solution, constraint)
        residual = flow_residual(mdp, omega)
        require(residual <= FEASIBLE, f"the flow is out of balance by {residual:.3g}")
        declared = solution.residual
        honest = residual <= declared + FEASIBLE
        require(honest, f"declares the residual {declared:.3g}; it is {residual:.3g}")


def value_is_attained(subject: Subject) -> None:
    """Evaluating the bound at the solution's allocation gives the solution's value."""
    bound = _bound(subject)
    for mdp, constraint, solution in _solutions(subject):
        value = bound.evaluate(mdp, _allocation(solution, constraint))
        same = math.isclose(value, solution.value, rel_tol=EVALUATED)
        what = f"{constraint}: solve gives {solution.value:.12g}, evaluate {value:.12g}"
        require(same, f"{what} at its allocation")


def no_allocation_is_better(subject: Subject) -> None:
    """None of 100 random feasible allocations has a lower value."""
    bound = _bound(subject)
    rng = np.random.default_rng(0)
    for mdp, constraint, solution in _solutions(subject):
        for _ in range(N_ALLOCATIONS):
            omega = _random_allocation(mdp, constraint, rng)
            value = bound.evaluate(mdp, omega)
            what = f"{constraint}: the solution {solution.value:.12g} is beaten by {value:.12g}"
            require(value >= solution.value * (1.0 - EVALUATED), f"{what} at a random allocation")


def labels_do_not_matter(subject: Subject) -> None:
    """Relabelling the states changes neither the value of an allocation nor the least value."""
    bound = _bound(subject)
    for mdp, constraint, solution in _solutions(subject):
        order = np.arange(mdp.n_states)[::-1]
        other = relabelled(mdp, order)
        omega = _allocation(solution, constraint)
        values = bound.evaluate(mdp, omega), bound.evaluate(other, omega[order])
        same = math.isclose(*values, rel_tol=EVALUATED)
        require(same, f"evaluate gives {values[0]:.12g} and {values[1]:.12g} when relabelled")
        again = bound.solve(other, constraint)
        gaps = sum(s.relative_gap for s in (solution, again) if math.isfinite(s.relative_gap))
        same = math.isclose(solution.value, again.value, rel_tol=RELABELLED + gaps)
        what = f"{constraint}: solve gives {solution.value:.12g} and {again.value:.12g}"
        require(same, f"{what} when relabelled")


def ties_are_infinite(subject: Subject) -> None:
    """Where the optimal policy is not unique, the value is infinite and the reason is given."""
    bound, mdp = _bound(subject), tied_mdp()
    for constraint in _constraints(subject):
        solution = bound.solve(mdp, constraint)
        what = f"{constraint}: two actions are the same everywhere, yet the value is"
        require(solution.value == math.inf, f"{what} {solution.value:.6g}; expected inf")
        require(solution.reason.strip(), f"{constraint}: the value is infinite without a reason")
        require(solution.allocation is None, f"{constraint}: an infinite value has no allocation")
    uniform = np.full((mdp.n_states, mdp.n_actions), 1.0 / (mdp.n_states * mdp.n_actions))
    value = bound.evaluate(mdp, uniform)
    require(value == math.inf, f"evaluate gives {value:.6g} for tied actions; expected inf")


def _bound(subject: Subject) -> Bound:
    made: Bound = subject.made(discount=DISCOUNT)
    return made


def _constraints(subject: Subject) -> list[Constraint]:
    """Those that the bound knows: it refuses navigation, if at all, with a UsageError."""
    bound, mdp = _bound(subject), random_mdp(np.random.default_rng(INSTANCE_SEEDS[0]))
    try:
        bound.solve(mdp, "navigation")
    except UsageError:
        return ["generative"]
    return ["generative", "navigation"]


def _solutions(
    subject: Subject, wanted: tuple[Constraint, ...] = ("generative", "navigation")
) -> Iterator[tuple[TabularMDP, Constraint, BoundSolution]]:
    """The random instances solved under each constraint that is wanted and known."""
    constraints = [c for c in _constraints(subject) if c in wanted]
    if not constraints:
        raise CheckSkipped("the bound does not know the navigation constraint")
    bound = _bound(subject)
    for seed in INSTANCE_SEEDS:
        mdp = random_mdp(np.random.default_rng(seed))
        for constraint in constraints:
            yield mdp, constraint, bound.solve(mdp, constraint)


def _allocation(solution: BoundSolution, constraint: Constraint) -> FloatArray:
    finite = math.isfinite(solution.value) and solution.allocation is not None
    what = f"{constraint}: {solution.status}, value {solution.value} ({solution.reason})"
    require(finite, f"{what}; expected a finite value and an allocation")
    allocation: FloatArray = np.asarray(solution.allocation)
    return allocation


def _random_allocation(
    mdp: TabularMDP, constraint: Constraint, rng: np.random.Generator
) -> FloatArray:
    """Uniform on the simplex, or the stationary distribution of a random policy."""
    n_states, n_actions = mdp.n_states, mdp.n_actions
    if constraint == "generative":
        omega: FloatArray = rng.dirichlet(np.ones(n_states * n_actions))
        return omega.reshape(n_states, n_actions)
    policy = rng.dirichlet(np.ones(n_actions), size=n_states)  # pi[s, a]
    chain = np.einsum("sa,sat->st", policy, mdp.transitions)  # P[s, s']
    balance = np.vstack([chain.T - np.eye(n_states), np.ones(n_states)])
    right = np.append(np.zeros(n_states), 1.0)
    stationary = np.maximum(np.linalg.lstsq(balance, right, rcond=None)[0], 0.0)
    walked: FloatArray = stationary[:, None] * policy / stationary.sum()
    return walked


CHECKS = (
    allocation_on_simplex,
    navigation_is_feasible,
    value_is_attained,
    no_allocation_is_better,
    labels_do_not_matter,
    ties_are_infinite,
)

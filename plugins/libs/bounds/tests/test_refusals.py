"""Instances beyond double precision, and walks that cannot be: refused, or said why."""

import math

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ModelWarning, SolverError
from mfbpi_lib_bounds import navigation, planned
from mfbpi_lib_bounds.instance import PlannedInstance


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
@pytest.mark.parametrize("unit", [1e-100, 1e-160, 1e-200])
def test_gaps_that_cannot_be_squared_are_refused(riverswim, unit, constraint, made):
    """Neither NaN nor infinity is called optimal: 1 / D^2 of such gaps leaves double precision."""
    river = riverswim(5)
    mdp = TabularMDP.from_successors(
        river.successors, river.probabilities, river.mean_rewards * unit
    )

    with pytest.raises(SolverError, match="leave the range of double precision"):
        made().solve(mdp, constraint)
    with pytest.raises(SolverError, match="leave the range of double precision"):
        made().evaluate(mdp, np.full((5, 2), 0.1))


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_unit_of_the_rewards_makes_no_difference(riverswim, unit, made):
    """Declared as the range, it is divided out: gaps of 1e-100 in it are those of 1 in 1."""
    river = riverswim(5)
    mdp = TabularMDP.from_successors(
        river.successors, river.probabilities, river.mean_rewards * unit, reward_range=(0.0, unit)
    )

    assert made().solve(mdp).value == pytest.approx(made().solve(river).value, rel=1e-9)


def test_no_walk_from_the_end(made):
    """Where every first state is terminal, no walk samples anything; single pairs may be."""
    moves = np.array([[[0], [0]], [[0], [1]]])
    with pytest.warns(ModelWarning, match="begins in the terminal state 0"):
        mdp = TabularMDP.from_successors(
            moves, np.ones(moves.shape), [[0.0, 0.0], [0.5, 0.2]], terminal=[True, False]
        )

    found = made().solve(mdp, "navigation")

    assert (found.value, found.status) == (math.inf, "infinite")
    assert "begins in a terminal state" in found.reason
    assert made().solve(mdp).status == "optimal"


def test_transitions_too_rare_for_a_walk(made):
    """A state that is reached once in 1e300 steps: the certificate overflows, and this is said."""
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[:, 0, 0] = transitions[0, 1, 0] = 1.0
    transitions[0, 1, 1] = 1e-300
    transitions[1, 1, 2] = transitions[2, 1, 2] = 1.0
    mdp = TabularMDP.from_dense(transitions, [[0.1, 0.0], [0.0, 0.0], [0.0, 1.0]])

    with pytest.raises(SolverError, match=r"range of double precision|not solved in arithmetic"):
        made().solve(mdp, "navigation")
    instance = PlannedInstance(mdp=mdp, discount=0.9)
    coefficients = planned.u(instance, 19)
    with pytest.raises(SolverError, match=r"range of double precision|not solved in arithmetic"):
        navigation.minimise(coefficients, instance.walk)
    assert made().solve(mdp).status == "optimal"

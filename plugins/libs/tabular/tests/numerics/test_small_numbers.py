"""Gaps where numbers are so small that rounding could have left them, and errors beside ties."""

import attrs
import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.solution import gaps, planning


def _separated(transitions, rewards, discount=0.9):
    mdp = TabularMDP.from_dense(transitions, rewards)
    return gaps.separate(mdp, planning.solve(mdp, discount), discount)


def _two_chances(one, other):
    """From state 0, two actions lead to a paying state with two chances; else it stays."""
    transitions = np.zeros((2, 2, 2))  # P[s, a, s']
    transitions[0, :, 1] = one, other
    transitions[0, :, 0] = 1.0 - transitions[0, :, 1]
    transitions[1, :, 1] = 1.0
    return transitions


@pytest.mark.parametrize(("one", "other"), [(1e-300, 0.0), (1e-17, 2e-17), (1e-100, 1e-99)])
def test_rare_transitions_are_no_ties(one, other):
    """Chances that rounding could have left differ, or do not: nothing is proven."""
    found = _separated(_two_chances(one, other), [[0.0, 0.0], [1.0, 0.5]])

    assert found.ties == []
    assert [s for s, _ in found.unresolved] == [0]


@pytest.mark.parametrize(("one", "other"), [(1e-17, 0.0), (1e-17, 2e-17), (1e-40, 1e-300)])
def test_small_rewards_are_no_ties(one, other):
    """The same of rewards beside one of 1."""
    transitions = np.tile(np.eye(2)[:, None, :], (1, 2, 1))

    found = _separated(transitions, [[one, other], [1.0, 0.5]])

    assert found.ties == []
    assert [s for s, _ in found.unresolved] == [0]


def test_small_numbers_alone_are_compared():
    """Rewards of 1e-17 and 2e-17 beside none larger are as different as 1 and 2."""
    found = _separated(np.ones((1, 2, 1)), [[1e-17, 2e-17]])

    assert (found.ties, found.unresolved) == ([], [])
    assert found.gaps[0] == pytest.approx([1e-17, 0.0], rel=1e-15)


def test_equal_small_chances_are_ties():
    """The same small numbers on both sides, and complements that are off by rounding."""
    rare = _separated(_two_chances(1e-17, 1e-17), [[0.0, 0.0], [1.0, 0.5]])
    rounded = _separated(_two_chances(1e-4, 1.0 - 0.9999), [[0.0, 0.0], [1.0, 0.5]])

    assert len(rare.ties) == len(rounded.ties) == 1
    assert rare.unresolved == rounded.unresolved == []


@pytest.mark.parametrize("discount", [0.9, 0.999, 1.0 - 1e-6, 1.0 - 1e-9])
def test_errors_cover_the_rounding_of_ties(discount):
    """Every state can earn 1 for ever; a row of thirds, stored, sums to less than one."""
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[0, 0, :2] = 1.0 / 3.0, 2.0 / 3.0
    transitions[0, 1, 2] = transitions[2, 0, 1] = transitions[2, 1, 2] = 1.0
    transitions[1, 0, [0, 2]] = 0.5
    transitions[1, 1, [0, 2]] = 0.75, 0.25
    mdp = TabularMDP.from_dense(transitions, [[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    plan = attrs.evolve(planning.solve(mdp, discount), policy=np.zeros(3, dtype=np.int64))

    found = gaps.separate(mdp, plan, discount)

    assert found.ties == [(0, 1)]
    policies = np.array([[0, 0, 0], [1, 0, 0]])
    tables = [np.array(testing.exact_gaps(mdp, pi, discount), dtype=float) for pi in policies]
    exactly = next(table for table in tables if (table >= 0.0).all())
    off = np.abs(found.gaps - exactly)[1:, 1]
    assert (off <= found.gap_error + 3e-16).all()

import numpy as np
import pytest

from mfbpi_core.mdp import TabularMDP
from mfbpi_lib_tabular import gaps, planning


def _plan(mdp, discount=0.95):
    return planning.solve(mdp, discount)


def test_gaps_by_hand(exit_door):
    """Waiting is worth 5, leaving 1: a gap of 4; terminal states have none."""
    assert gaps.gaps(_plan(exit_door, 0.9)) == pytest.approx(np.array([[4.0, 0.0], [0.0, 0.0]]))


@pytest.mark.parametrize(
    ("n_states", "smallest"), [(5, 7.6e-2), (10, 3.4e-2), (25, 1.9e-2), (50, 8.4e-3), (100, 2.1e-4)]
)
def test_published_gaps_of_riverswim(riverswim, n_states, smallest):
    """Russo & Proutiere (2023), table of instances, digits truncated."""
    plan = _plan(riverswim(n_states))
    delta = gaps.gaps(plan)
    unit = 10.0 ** (np.floor(np.log10(smallest)) - 1)

    found = gaps.delta_min(delta, gaps.policy_mask(plan.policy, 2))

    assert int(found / unit + 1e-9) == round(smallest / unit)
    assert int(gaps.delta_max(delta) * 10) == 13


def test_identical_actions_are_ties(two_identical_actions):
    """Every other action is listed, none is unresolved, every action is optimal."""
    plan = _plan(two_identical_actions)

    found = gaps.separate(two_identical_actions, plan, 0.95)

    assert found.ties == [(s, 1 - int(plan.policy[s])) for s in range(4)]
    assert gaps.ties(two_identical_actions, plan, 0.95) == found.ties
    assert found.unresolved == []
    assert found.optimal.all()


def test_equal_values_by_symmetry_are_ties():
    """Two doors lead to different rooms in which the best one can do is the same."""
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[0, 0, 1] = transitions[0, 1, 2] = 1.0
    transitions[1, 0, 0] = transitions[1, 1, 1] = 1.0
    transitions[2, 0, 2] = transitions[2, 1, 0] = 1.0  # the same room, actions swapped
    rewards = [[0.0, 0.0], [1.0, 0.2], [0.3, 1.0]]
    mdp = TabularMDP.from_dense(transitions, rewards)

    found = gaps.separate(mdp, _plan(mdp), 0.95)

    assert [s for s, _ in found.ties] == [0]
    assert found.unresolved == []


def test_tiny_gap_is_unresolved_not_tied():
    """A reward that differs by less than rounding can separate is not called a tie."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[0.5, 0.5 - 2e-12]])

    found = gaps.separate(mdp, _plan(mdp, 0.9999), 0.9999)

    assert found.ties == []
    assert found.unresolved == [(0, 1)]
    assert found.tolerance > 2e-12


def test_long_river_far_from_its_ends_is_unresolved(riverswim):
    """Values of 1e-16 of the largest leave gaps that are too small, and no ties."""
    mdp = riverswim(5000)

    found = gaps.separate(mdp, _plan(mdp), 0.95)

    assert found.ties == []
    assert len(found.unresolved) > 2000
    assert not {0, 4999} & {s for s, _ in found.unresolved}


def test_small_but_clear_gaps_are_separated(riverswim):
    """RiverSwim with 50 states at gamma 0.99 has neither ties nor unresolved gaps."""
    mdp = riverswim(50)

    found = gaps.separate(mdp, _plan(mdp, 0.99), 0.99)

    assert (found.ties, found.unresolved) == ([], [])
    assert found.optimal.sum() == 50


def test_tolerance_widens_the_optimal_set(exit_door):
    """A gap of 4 counts as zero when the caller says so; terminal states always do."""
    plan = _plan(exit_door, 0.9)

    assert gaps.optimal_actions(exit_door, plan, 0.9).tolist() == [[False, True], [True, True]]
    assert gaps.optimal_actions(exit_door, plan, 0.9, tolerance=4.1).all()


def test_terminal_states_are_not_ties(exit_door):
    """No decision is taken where an episode has ended."""
    found = gaps.separate(exit_door, _plan(exit_door, 0.9), 0.9)

    assert (found.ties, found.unresolved) == ([], [])


def test_smallest_gap_without_suboptimal_actions():
    """With one action there is no gap: infinity."""
    assert gaps.delta_min(np.zeros((2, 1)), np.ones((2, 1), dtype=bool)) == np.inf

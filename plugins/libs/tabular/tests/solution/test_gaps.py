from fractions import Fraction

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.solution import gaps, planning

LAKE_4 = ["SFFF", "FHFH", "FFFH", "HFFG"]
LAKE_8 = [
    "SFFFFFFF",
    "FFFFFFFF",
    "FFFHFFFF",
    "FFFFFHFF",
    "FFFHFFFF",
    "FHHFFFHF",
    "FHFFHFHF",
    "FFFHFFFG",
]


def _deterministic(moves, rewards):
    """An instance in which action a leads from s surely to moves[s][a]."""
    successors = np.array(moves)[:, :, None]
    return TabularMDP.from_successors(successors, np.ones(successors.shape), rewards)


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
    assert int(delta.max() * 10) == 13


def test_identical_actions_are_ties(two_identical_actions):
    """Every other action is listed, none is unresolved, every action is optimal."""
    plan = _plan(two_identical_actions)

    found = gaps.separate(two_identical_actions, plan, 0.95)

    assert found.ties == [(s, 1 - int(plan.policy[s])) for s in range(4)]
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


def test_tiny_gap_is_a_gap():
    """A reward that differs by 2e-12, at a discount where values have errors of 1e-8."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[0.5, 0.5 - 2e-12]])

    found = gaps.separate(mdp, _plan(mdp, 0.9999), 0.9999)

    assert (found.ties, found.unresolved) == ([], [])
    assert found.gaps[0, 1] == 0.5 - (0.5 - 2e-12)
    assert found.tolerance > 2e-12


def test_long_river_far_from_its_ends_is_unresolved(riverswim):
    """Values of 1e-16 of the largest leave gaps that are too small, and no ties."""
    mdp = riverswim(5000)

    found = gaps.separate(mdp, _plan(mdp), 0.95)

    assert found.ties == []
    assert len(found.unresolved) > 2000
    assert not {0, 4999} & {s for s, _ in found.unresolved}


@pytest.mark.parametrize(
    ("lake", "tied"),
    [
        (LAKE_4, [(6, 2)]),
        (LAKE_8, [(27, 3), (34, 3), (43, 2), (50, 2), (51, 3), (53, 2), (60, 2)]),
    ],
)
def test_ties_of_frozen_lake(lake, tied):
    """Between two holes, left and right come to the same; other gaps are those of fractions."""
    mdp = testing.frozen_lake(lake)
    plan = _plan(mdp, 0.99)

    found = gaps.separate(mdp, plan, 0.99)

    exactly = testing.exact_gaps(mdp, plan.policy, 0.99, lambda x: Fraction(x).limit_denominator())
    assert found.ties == tied
    assert found.unresolved == []
    others = gaps.policy_mask(plan.policy, 4) | mdp.terminal[:, None]
    assert found.ties == [
        (s, a) for s, row in enumerate(exactly) for a in range(4) if not row[a] and not others[s, a]
    ]
    np.testing.assert_allclose(found.gaps, np.array(exactly, dtype=float), rtol=1e-12)
    assert (found.gaps[tuple(np.transpose(tied))] == 0.0).all()


def test_ties_of_a_large_lake():
    """Two lakes of 256 cells in one, 512 cells of ice: symmetry needs no arithmetic."""
    rows = ["FFFFFFFFFFFFFFFF", "FHFHFHFHFHFHFHFH"] * 8
    mdp = testing.frozen_lake([*rows[:-1], "FHFHFHFHFHFHFHFG"])

    found = gaps.separate(mdp, _plan(mdp, 0.99), 0.99)

    assert len(found.ties) > 20
    assert found.unresolved == []


def test_ties_by_arithmetic_alone():
    """0.3 + 9 * 0.1 = 0.03 + 9 * 0.13, where no two states are alike and floats differ."""
    rewards = [[0.3, 0.03], [0.1, 0.0], [0.13, 0.0]]
    mdp = _deterministic([[1, 2], [1, 1], [2, 2]], rewards)

    found = gaps.separate(mdp, _plan(mdp, 0.9), 0.9)

    assert [s for s, _ in found.ties] == [0]
    assert found.unresolved == []
    rewards[0][1] += 1e-13
    other = _deterministic([[1, 2], [1, 1], [2, 2]], rewards)
    apart = gaps.separate(other, _plan(other, 0.9), 0.9)
    assert (apart.ties, apart.unresolved) == ([], [])
    assert apart.policy.tolist() == [1, 0, 0]
    exactly = testing.exact_gaps(other, apart.policy, 0.9)
    assert apart.gaps[0, 0] == float(exactly[0][0]) == pytest.approx(1e-13, rel=1e-2)


def _random(rng, shape):
    """Successors, probabilities and rewards of a random instance [S, A, K], and a discount."""
    discount = float(rng.choice([0.5, 0.9, 0.99, 0.999]))
    laws = rng.integers(shape[0], size=shape), rng.dirichlet(np.ones(shape[2]), size=shape[:2])
    return *laws, rng.random(shape[:2]), discount


def _planted(rng):
    """A random instance with a copy of an optimal action, and the pairs that are then alike."""
    shape = tuple(int(n) for n in rng.integers([3, 2, 2], [12, 4, 5]))
    successors, probabilities, rewards, discount = _random(rng, shape)
    mdp = TabularMDP.from_successors(successors, probabilities, rewards)
    s = int(rng.integers(shape[0]))
    best = int(_plan(mdp, discount).policy[s])
    copy, order = (best + 1) % shape[1], rng.permutation(shape[2])
    for array in (successors, probabilities):
        array[s, copy] = array[s, best][order]
    rewards[s, copy] = rewards[s, best]
    return (successors, probabilities, rewards), discount, s, best, copy


def test_planted_ties_are_found():
    """A copied action with its slots permuted and its numbers off by rounding: 150 instances."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        arrays, discount, s, best, copy = _planted(rng)
        arrays[1][s, copy] *= 1.0 + 1e-16 * rng.integers(-2, 3, size=arrays[1].shape[2])
        mdp = TabularMDP.from_successors(*arrays)

        found = gaps.separate(mdp, _plan(mdp, discount), discount)

        assert found.ties in ([(s, best)], [(s, copy)]), seed
        assert found.unresolved == []


@pytest.mark.parametrize("size", [1e-9, 1e-12, 1e-13])
def test_planted_gaps_are_no_ties(size):
    """A copied action that pays a little less: gaps equal those of fractions, 50 instances."""
    for seed in range(50):
        arrays, discount, s, best, copy = _planted(np.random.default_rng(seed))
        arrays[2][s, copy] = arrays[2][s, best] * (1.0 - size)
        mdp = TabularMDP.from_successors(*arrays)

        found = gaps.separate(mdp, _plan(mdp, discount), discount)

        assert (found.ties, found.unresolved) == ([], [])
        exactly = np.array(testing.exact_gaps(mdp, found.policy, discount), dtype=float)
        off = np.abs(found.gaps - exactly)
        assert (exactly >= 0.0).all()
        assert (off <= found.gap_error + 3e-16 * exactly).all(), seed
        assert found.gap_error <= 1e-10 * size


def test_gaps_at_long_horizons_are_those_of_fractions(riverswim):
    """At discount 0.9999 a float64 solution has errors of 1e-9; refined, each gap is right."""
    mdp = riverswim(25)

    found = gaps.separate(mdp, _plan(mdp, 0.9999), 0.9999)

    exactly = np.array(testing.exact_gaps(mdp, found.policy, 0.9999), dtype=float)
    np.testing.assert_allclose(found.gaps, exactly, rtol=3e-16, atol=found.gap_error)
    assert found.gap_error < 1e-20


def test_small_but_clear_gaps_are_separated(riverswim):
    """RiverSwim with 50 states at gamma 0.99 has neither ties nor unresolved gaps."""
    mdp = riverswim(50)

    found = gaps.separate(mdp, _plan(mdp, 0.99), 0.99)

    assert (found.ties, found.unresolved) == ([], [])
    assert found.optimal.sum() == 50


def test_terminal_states_are_not_ties(exit_door):
    """No decision is taken where an episode has ended."""
    found = gaps.separate(exit_door, _plan(exit_door, 0.9), 0.9)

    assert (found.ties, found.unresolved) == ([], [])


def test_smallest_gap_without_suboptimal_actions():
    """With one action there is no gap: infinity."""
    assert gaps.delta_min(np.zeros((2, 1)), np.ones((2, 1), dtype=bool)) == np.inf

"""TabularMDP: what it accepts, what it refuses and how it says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfbpi_core import TabularMDP
from mfbpi_core.errors import ModelError, ModelWarning

P = [[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.25, 0.75]]]
R = [[0.0, 0.1], [0.2, 1.0]]


def dense(**changes):
    """The two-state example with something changed."""
    arguments = {"transitions": P, "rewards": R, **changes}
    return TabularMDP.from_dense(
        arguments.pop("transitions"), arguments.pop("rewards"), **arguments
    )


def changed(index, value, array=P):
    """A copy of an array with one entry replaced."""
    copy = np.array(array, dtype=float)
    copy[index] = value
    return copy


def test_dense_arrays_come_back():
    """Stored as successor lists, the instance is the one that was given."""
    mdp = dense()

    np.testing.assert_array_equal(mdp.transitions, P)
    np.testing.assert_array_equal(mdp.mean_rewards, R)
    assert (mdp.n_states, mdp.n_actions) == (2, 2)
    assert mdp.initial.tolist() == [1.0, 0.0]
    assert mdp.successors.shape == (2, 2, 2)


def test_rewards_of_transitions_are_averaged():
    """Rewards given for s' are weighted by their probabilities."""
    rewards = np.zeros((2, 2, 2))  # R[s, a, s']
    rewards[0, 0] = 0.2, 0.6
    rewards[1, 1] = 1.0, 0.2

    mdp = dense(rewards=rewards)

    np.testing.assert_allclose(mdp.mean_rewards, [[0.4, 0.0], [0.0, 0.4]], rtol=1e-15)


def test_successor_lists():
    """Successors may come in any order, and mean the same as the dense arrays."""
    mdp = TabularMDP.from_successors(
        successors=[[[1, 0], [1, 1]], [[0, 0], [1, 0]]],
        probabilities=[[[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [0.75, 0.25]]],
        rewards=R,
    )

    np.testing.assert_array_equal(mdp.transitions, P)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 4))
def test_sparse_and_dense_agree(seed, n_states, n_actions):
    """For random instances with zeros, both ways of storing give one instance."""
    rng = np.random.default_rng(seed)
    weights = rng.random((n_states, n_actions, n_states)) * (rng.random(n_states) < 0.7)
    weights[:, :, 0] += 0.1
    transitions = weights / weights.sum(axis=2, keepdims=True)
    rewards = rng.random((n_states, n_actions, n_states))

    one = TabularMDP.from_dense(transitions, rewards)
    two = TabularMDP.from_successors(one.successors, one.probabilities, one.rewards)

    np.testing.assert_allclose(one.transitions, transitions, rtol=1e-14)
    np.testing.assert_allclose(two.transitions, one.transitions, rtol=1e-14)
    means = np.einsum("sat,sat->sa", transitions, rewards)
    np.testing.assert_allclose(two.mean_rewards, means, rtol=1e-12)


def test_row_that_sums_to_less_is_refused():
    """0.99 is no rounding: the message names the pair and the sum."""
    with pytest.raises(ModelError, match=r"\(s=1, a=1\) sum to 0\.99; expected 1"):
        dense(transitions=changed((1, 1), [0.24, 0.75]))


def test_rounding_is_renormalised_on_a_copy():
    """A row that misses one by 1e-8 is divided by its sum; the caller's array stays."""
    given_array = changed((0, 0), [0.5, 0.5 + 1e-8])
    before = given_array.copy()

    mdp = dense(transitions=given_array)

    np.testing.assert_array_equal(given_array, before)
    assert mdp.probabilities.sum(axis=2) == pytest.approx(1.0, abs=1e-15)
    assert mdp.transitions[0, 0, 1] == pytest.approx((0.5 + 1e-8) / (1.0 + 1e-8), abs=1e-16)


def test_callers_arrays_are_never_changed_or_kept():
    """Arrays given are copied, rewards of terminal states included."""
    given_arrays = {
        "transitions": np.array(P),
        "rewards": np.array([R[0], [0.0, 0.0]]),
        "initial": np.array([1.0, 0.0]),
        "terminal": np.array([False, True]),
    }
    before = {name: array.copy() for name, array in given_arrays.items()}

    mdp = dense(**given_arrays)

    for name, array in given_arrays.items():
        np.testing.assert_array_equal(array, before[name])
        array[...] = 0
    np.testing.assert_array_equal(mdp.transitions[0], P[0])
    assert mdp.terminal.tolist() == [False, True]


def test_arrays_are_read_only():
    """What has been validated stays valid."""
    mdp = dense()

    for name in ("successors", "probabilities", "rewards", "mean_rewards", "initial", "terminal"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mdp, name)[...] = 0
    with pytest.raises(ValueError, match="read-only"):
        mdp.transitions[...] = 0


REFUSED = {
    "negative probability": (
        {"transitions": changed((0, 1), [-0.25, 1.25])},
        r"\(s=0, a=1\) has probability -0\.25; expected 0 or more",
    ),
    "NaN": ({"transitions": changed((1, 0, 1), np.nan)}, r"transitions\[1, 0, 1\] is nan"),
    "infinite reward": ({"rewards": changed((0, 1), np.inf, R)}, r"rewards\[0, 1\] is inf"),
    "text": ({"rewards": "high"}, "rewards must be an array of numbers"),
    "not square": ({"transitions": np.ones((2, 2, 3)) / 3}, r"shape \(2, 2, 3\); expected \[S, A"),
    "no actions": ({"transitions": np.ones((2, 0, 2))}, "expected .* S, A >= 1"),
    "rewards of another shape": ({"rewards": [0.0, 1.0]}, r"rewards have shape \(2,\)"),
    "reward above the range": (
        {"rewards": changed((1, 1), 1.5, R)},
        r"mean reward of \(s=1, a=1\) is 1\.5; expected 0 to 1 .*reward_range=",
    ),
    "reward below the range": (
        {"rewards": changed((0, 0), -0.1, R)},
        r"mean reward of \(s=0, a=0\) is -0\.1; expected 0 to 1",
    ),
    "law": ({"reward_law": "gaussian"}, "'gaussian'; expected 'bernoulli' or 'deterministic'"),
    "law array": ({"reward_law": np.zeros(0)}, r"reward_law is array\(.*; expected 'bernoulli'"),
    "huge rows": ({"transitions": np.full((2, 2, 2), 1e308)}, r"sum to inf; expected 1"),
    "huge start": ({"initial": [1e308, 1e308]}, "initial has minimum 1e.308 and sum inf"),
    "Bernoulli beyond 0 and 1": (
        {"reward_law": "bernoulli", "reward_range": (0.0, 2.0)},
        r"Bernoulli rewards are 0 or 1, but reward_range is \(0\.0, 2\.0\)",
    ),
    "range": ({"reward_range": (1.0, 0.0)}, "expected two numbers, low < high"),
    "initial sum": ({"initial": [0.5, 0.4]}, r"initial has minimum 0\.4 and sum 0\.9"),
    "initial shape": ({"initial": [1.0]}, r"initial has shape \(1,\); expected \(2,\)"),
    "terminal type": ({"terminal": [0.0, 1.0]}, "terminal is float64 of shape .*boolean mask"),
    "terminal value": ({"terminal": [0, 2]}, r"terminal\[1\] is 2; expected .* 0 and 1"),
    "all terminal": ({"terminal": [True, True]}, "every state is terminal"),
}


@pytest.mark.parametrize(("changes", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(changes, says):
    """Each message says what was given, where, and what was expected."""
    with pytest.raises(ModelError, match=says):
        dense(**changes)


@pytest.mark.parametrize(
    ("successors", "says"),
    [
        ([[[0, 2]]], r"successor 1 of \(s=0, a=0\) is state 2; expected 0 to 0"),
        ([[[0.0, 0.0]]], r"successors are float64 .*expected integers"),
        ([[[0]]], r"of shape \(1, 1, 1\); expected integers of shape \(1, 1, 2\)"),
    ],
)
def test_successors_that_are_refused(successors, says):
    """Successors are states, as many as probabilities."""
    with pytest.raises(ModelError, match=says):
        TabularMDP.from_successors(successors, [[[0.5, 0.5]]], [[0.0]])


def test_errors_are_value_errors():
    """Code that knows nothing of ours can catch what it expects."""
    with pytest.raises(ValueError, match="every state is terminal"):
        dense(terminal=[True, True])


def test_terminal_states_absorb():
    """Whatever was given for them, terminal states loop without reward and are not checked."""
    transitions = changed((1,), [[0.0, 0.0], [9.0, -9.0]])

    with pytest.warns(
        ModelWarning, match=r"of the terminal state 1 are .* \(rewards\[1, 0\] is 7\)"
    ):
        mdp = dense(
            transitions=transitions, rewards=[[0.5, 0.5], [7.0, -7.0]], terminal=[False, True]
        )

    np.testing.assert_array_equal(mdp.transitions[1], [[0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(mdp.mean_rewards, [[0.5, 0.5], [0.0, 0.0]])


def test_declared_range_is_accepted():
    """Rewards outside [0, 1] are fine where they are declared, and are not rescaled."""
    mdp = dense(rewards=[[-1.0, 3.0], [0.0, 0.0]], reward_range=(-1.0, 3.0))

    assert mdp.mean_rewards[0].tolist() == [-1.0, 3.0]
    assert mdp.reward_range == (-1.0, 3.0)


def test_too_large_for_dense():
    """A sparse instance of 100,000 states is fine; asking for its dense array is refused."""
    n = 100_000
    successors = np.arange(n).reshape(n, 1, 1)
    mdp = TabularMDP.from_successors(successors, np.ones((n, 1, 1)), np.zeros((n, 1)))

    with pytest.raises(ModelError, match="100000 states and 1 actions is too large; use `succ"):
        _ = mdp.transitions


@pytest.mark.parametrize(
    ("initial", "says"),
    [
        ([0.25, 0.75], r"with probability 0.75 an episode begins in the terminal state 1, "),
        ([0.0, 1.0], r"with probability 1 an episode begins in the terminal state 1, "),
    ],
)
def test_starts_in_terminal_states_are_named(initial, says):
    """An episode that has ended as it begins is allowed, and said."""
    with pytest.warns(ModelWarning, match=says):
        dense(terminal=[False, True], rewards=[[0.0, 0.1], [0.0, 0.0]], initial=initial)


def test_first_state_by_default_may_be_terminal():
    """Without `initial` episodes begin in state 0, whatever it is."""
    with pytest.warns(ModelWarning, match="without initial, episodes begin in state 0"):
        dense(terminal=[True, False], rewards=[[0.0, 0.0], [0.2, 1.0]])


@pytest.mark.parametrize("reward", [1e101, -1e300])
def test_rewards_whose_squares_overflow_are_refused(reward):
    """Declared or not: what is computed from them would be infinite or NaN."""
    wide = (-1e308, 1e308)
    with pytest.raises(ModelError, match=r"rewards\[1, 0\] is .*; expected a size of at most 1e\+"):
        dense(rewards=[[0.0, 0.1], [reward, 1.0]], reward_range=wide)

    assert dense(reward_range=wide).reward_range == wide

"""What a model is made of: kinds of array that are taken, refused or warned of."""

from fractions import Fraction

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_core.errors import ModelError, ModelWarning

#: Three states; action 0 goes round, action 1 stays.
P = np.stack([np.roll(np.eye(3), 1, axis=1), np.eye(3)], axis=1)
R = np.array([[0.0, 0.1], [0.2, 0.3], [1.0, 0.5]])

#: Where an episode may end: states 1 and 2 are terminal.
ENDS = [[[0.9, 0.1, 0.0], [0.5, 0.0, 0.5]], [[0, 1, 0]] * 2, [[0, 0, 1]] * 2]
PAID_THERE = [[0.1, 0.1], [0.2, 0.2], [1.0, 1.0]]


def changed(array, index, value):
    """A copy with one entry replaced."""
    copy = np.array(array, dtype=np.result_type(array, type(value)))
    copy[index] = value
    return copy


class Graded:
    """An array of somebody else's that is none yet, like a tensor with gradients."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("use detach() first")


REFUSED = {
    "gradients": (
        {"P": Graded()},
        r"transitions must be an array of numbers \(Graded: use detach\(\) first\)",
    ),
    "complex": ({"P": P + 0j * P + changed(0 * P, (0, 1, 2), 1j)}, r"complex .*\[0, 1, 2\] is 1j"),
    "complex rewards": (
        {"R": R + 0j},
        r"rewards must be .* complex numbers: rewards\[0, 0\] is 0j",
    ),
    "text": ({"R": np.array([["0", "1"]] * 3)}, r"not of text: rewards\[0, 0\] is '0'"),
    "object": ({"R": [[0, None], [0, 0], [0, 0]]}, r"objects: rewards\[0, 1\] is None"),
    "fractions": ({"R": np.full((3, 2), Fraction(1, 2))}, r"rewards\[0, 0\] is Fraction\(1, 2\)"),
    "records": (
        {"P": np.zeros((3, 2, 3), dtype=[("p", float)])},
        r"records: transitions\[0, 0, 0\]",
    ),
    "dates": ({"R": np.zeros((3, 2), dtype="M8[s]")}, "not of dates"),
    "ragged": ({"P": [[[1.0]], [[0.0, 1.0]]]}, "transitions must be an array of numbers .*inhomog"),
    "a mapping": ({"P": {}}, "transitions must be an array of numbers, not of objects"),
    "masked": ({"R": np.ma.masked_equal(R, 1.0)}, r"rewards\[2, 0\] is masked"),
    "a number": ({"P": 0.5}, r"transitions have shape \(\); expected \[S, A, S\]"),
    "one reward": ({"R": 0.5}, r"rewards have shape \(\); expected"),
    "one initial": ({"initial": 1.0}, r"initial has shape \(\); expected \(3,\)"),
    "one terminal": ({"terminal": True}, r"terminal is bool of shape \(\); expected"),
    "terminal text": ({"terminal": ["no", "no", "yes"]}, "terminal is <U3 of shape"),
    "terminal indices": ({"terminal": [0, 1, 2]}, r"terminal\[2\] is 2; .*integers 0 and 1"),
    "initial": ({"initial": [1.1, -0.1, 0.0]}, r"\(initial\[1\] is -0\.1\)"),
    "range text": ({"range": ("0", "1")}, r"not of text: reward_range\[0\] is '0'"),
    "range of three": (
        {"range": (0, 0.5, 1)},
        r"reward_range is \[0\.0, 0\.5, 1\.0\]; expected two",
    ),
    "range not a number": ({"range": (0.0, np.nan)}, r"reward_range\[1\] is nan"),
    "negative": (
        {"P": changed(P, (1, 0, 0), -1e-3)},
        r"transitions\[1, 0, 0\]: .* -0\.001; expected 0",
    ),
    "sum": ({"P": changed(P, (2, 1, 2), 0.9)}, r"transitions\[2, 1\]: .* sum to 0\.9; expected 1"),
    "reward": ({"R": changed(R, (1, 1), 1.5)}, r"rewards\[1, 1\]: .* is 1\.5; expected 0 to 1"),
    "reward of a transition": (
        {"R": changed(np.zeros((3, 2, 3)), (1, 0, 2), -2.0)},
        r"rewards\[1, 0, 2\]: .* is -2; expected 0 to 1",
    ),
    "NaN where nothing goes": (
        {"R": changed(np.zeros((3, 2, 3)), (1, 0, 0), np.nan)},
        r"rewards\[1, 0, 0\] is nan; the transition has probability 0, but .* such as 0",
    ),
    "NaN that is paid": (
        {"R": changed(np.zeros((3, 2, 3)), (1, 0, 2), np.nan)},
        r"rewards\[1, 0, 2\] is nan; expected finite numbers",
    ),
    "[A, S, S]": (
        {"P": P.transpose(1, 0, 2)},
        r"\(2, 3, 3\); .* looks like \[A, S, S\], so pass P\.transpose\(1, 0, 2\)",
    ),
    "[S, S, A]": (
        {"P": P.transpose(0, 2, 1)},
        r"\(3, 3, 2\); .* looks like \[S, S, A\], so pass P\.transpose\(0, 2, 1\)",
    ),
    "rewards [A, S]": ({"R": R.T}, r"\(2, 3\), which looks like \[A, S\]: pass R\.T"),
    "rewards [A, S, S]": (
        {"R": np.zeros((2, 3, 3))},
        r"\(2, 3, 3\), which looks like \[A, S, S\]: pass R\.transpose\(1, 0, 2\)",
    ),
}


@pytest.mark.parametrize(("changes", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(changes, says):
    """One sentence names the array, the index and the entry."""
    options = {"P": P, "R": R, **changes}
    limits = {"reward_range": options.pop("range")} if "range" in options else {}
    with pytest.raises(ModelError, match=says) as refused:
        TabularMDP.from_dense(options.pop("P"), options.pop("R"), **options, **limits)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ((0, 2, 1), r"looks like \[S, S, A\], so pass P\.transpose\(0, 2, 1\)"),
        ((2, 0, 1), r"looks like \[S, S, A\], so pass P\.transpose\(1, 2, 0\)"),
        ((0, 1, 2), "sum to 0.5; expected 1$"),
    ],
)
def test_square_arrays_are_judged_by_their_sums(order, says):
    """With as many actions as states, only an order whose rows sum to one is suggested."""
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(3), size=(3, 3))
    if order == (0, 1, 2):
        rows[0, 0] /= 2.0

    with pytest.raises(ModelError, match=says):
        TabularMDP.from_dense(rows.transpose(order), np.zeros((3, 3)))


@pytest.mark.parametrize(
    "terminal", [[0, 0, 1], np.array([0, 0, 1], dtype=np.uint8), [False, False, True]]
)
def test_terminal_states_as_booleans_or_numbers(terminal):
    """0 and 1 mean what they mean."""
    mdp = TabularMDP.from_dense(P, R * [[1.0], [1.0], [0.0]], terminal=terminal)

    assert mdp.terminal.tolist() == [False, False, True]


def test_rounding_below_zero_is_clipped():
    """-1e-17 is rounding, as in sums: the entry is 0, the row sums to one, nothing leads there."""
    transitions = changed(P, (0, 0, 2), -1e-17)
    initial = [1.0, -1e-17, 0.0]

    mdp = TabularMDP.from_dense(transitions, R, initial=initial)
    exact = TabularMDP.from_dense(P, R)

    np.testing.assert_array_equal(mdp.transitions, exact.transitions)
    np.testing.assert_array_equal(mdp.successors, exact.successors)
    assert mdp.initial.tolist() == [1.0, 0.0, 0.0]
    assert transitions[0, 0, 2] == -1e-17


def test_rounding_in_successor_lists_is_clipped():
    """The same for slots, which are then unused."""
    mdp = TabularMDP.from_successors([[[0, 0]]], [[[1.0, -1e-17]]], [[0.5]])

    assert mdp.probabilities.tolist() == [[[1.0, 0.0]]]


def test_transposed_successor_lists():
    """States that only exist as actions: the axes are likely swapped."""
    with pytest.raises(ModelError, match=r"successors\[0, 0, 0\]: .* state 2; .*\[A, S, K\]\?"):
        TabularMDP.from_successors([[[2], [1], [0]]] * 2, np.ones((2, 3, 1)), np.zeros((2, 3)))


def test_rewards_of_terminal_states_are_warned_of():
    """The states are named, and where the rewards belong; the warning points at the caller."""
    with pytest.warns(ModelWarning) as warned:
        TabularMDP.from_dense(ENDS, PAID_THERE, terminal=[0, 1, 1])

    (warning,) = warned
    assert "terminal states 1, 2 are never paid (rewards[1, 0] is 0.2)" in str(warning.message)
    assert "on the transitions into the state, with rewards [S, A, S]" in str(warning.message)
    assert warning.filename == __file__


def test_rewards_of_transitions_from_terminal_states_are_warned_of():
    """Given for transitions, those out of a terminal state are as vain; those into it are not."""
    rewards = np.zeros((3, 2, 3))
    rewards[0, :, 1], rewards[0, :, 2] = 0.2, 1.0
    mdp = TabularMDP.from_dense(ENDS, rewards, terminal=[0, 1, 1])

    np.testing.assert_allclose(mdp.mean_rewards[0], [0.02, 0.5], rtol=1e-15)
    rewards[2, 1, 2] = 1.0
    with pytest.warns(ModelWarning, match=r"terminal state 2 .*rewards\[2, 1, 2\] is 1"):
        TabularMDP.from_dense(ENDS, rewards, terminal=[0, 1, 1])


def test_many_terminal_states_are_counted():
    """Ten are named."""
    rows = np.tile(np.eye(1, 13)[0], (13, 1, 1))
    with pytest.warns(ModelWarning, match=r"states 1, 2, .*, 10, \.\.\. \(12 in all\)"):
        TabularMDP.from_dense(rows, np.ones((13, 1)), terminal=[0, *[1] * 12])

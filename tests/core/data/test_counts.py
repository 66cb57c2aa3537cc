"""What is counted, whatever the chunks and however many states there are."""

import numpy as np
import pytest

from mfbpi_core import Counts, Transitions
from mfbpi_core.data import counts as module
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.tools.comparison import difference


def steps(n, *, n_states=3, n_actions=2, seed=0, ends=0.1):
    """Steps drawn at random; what ends, ends in state 2, by a cut as often as by the task."""
    rng = np.random.default_rng(seed)
    over = rng.random(n) < ends
    following = np.where(over, 2, rng.integers(n_states, size=n))
    cut = rng.random(n) < 0.5
    return Transitions(
        start=0,
        observations=rng.integers(2, size=n),
        actions=rng.integers(n_actions, size=n),
        rewards=rng.random(n),
        next_observations=following,
        terminated=over & ~cut,
        truncated=over & cut,
    )


def part(whole, which):
    """Some of the steps."""
    names = ("observations", "actions", "rewards", "next_observations", "terminated", "truncated")
    return Transitions(start=0, **{name: getattr(whole, name)[which] for name in names})


def counted(whole, sizes, *, n_states=3, may_end=True, terminal=(False, False, False)):
    """Counts of steps, in parts of these sizes."""
    counts = Counts(n_states=n_states, n_actions=2, terminal=np.array(terminal), may_end=may_end)
    at = 0
    for size in sizes:
        counts.observe(part(whole, slice(at, at + size)))
        at += size
    return counts


def test_counts_by_hand():
    """Three steps: visits, sums by successor, the end of the task as outcome S, starts and cuts."""
    whole = Transitions(
        start=0,
        observations=np.array([0, 1, 0]),
        actions=np.array([1, 0, 1]),
        rewards=np.array([0.5, 1.0, 0.25]),
        next_observations=np.array([1, 2, 1]),
        terminated=np.array([False, True, False]),
        truncated=np.array([False, False, True]),
    )
    counts = counted(whole, [3])
    found = counts.entries()

    assert counts.visits.tolist() == [[0, 2], [1, 0], [0, 0]]
    assert found.pairs.tolist() == [1, 2]
    assert found.outcomes.tolist() == [1, 3]
    assert found.visits.tolist() == [2, 1]
    assert found.rewards.tolist() == [0.75, 1.0]
    assert (counts.start.tolist(), counts.cuts, counts.steps) == ([2, 0, 0], 1, 3)
    assert (counts.reward_min, counts.reward_max) == (0.25, 1.0)


def test_an_end_in_a_declared_terminal_state_is_that_state():
    """Outcome S is for ends elsewhere alone, and refused where there are none."""
    whole = steps(200)
    inside = counted(whole, [200], terminal=(False, False, True), may_end=False)

    assert inside.entries().outcomes.max() == 2
    assert counted(whole, [200]).entries().outcomes.max() == 3
    with pytest.raises(PluginError, match="ended in state 2, which the model does not declare"):
        counted(whole, [200], may_end=False)


@pytest.mark.parametrize("dense_states", [200, 2])
def test_chunks_change_no_bit(monkeypatch, dense_states):
    """Sums of rewards too, with a place for every entry or for those seen alone."""
    monkeypatch.setattr(module, "DENSE_STATES", dense_states)
    whole = steps(1_000)
    expected = counted(whole, [1_000])

    for sizes in ([1] * 1_000, [333, 333, 334], [999, 1]):
        assert difference(expected.state_dict(), counted(whole, sizes).state_dict()) is None


def test_few_places_hold_what_many_do(monkeypatch):
    """The entries are the same in either form."""
    whole = steps(500)
    dense = counted(whole, [500]).entries()
    monkeypatch.setattr(module, "DENSE_STATES", 2)
    sparse = counted(whole, [100] * 5).entries()

    for name in ("pairs", "outcomes", "visits", "rewards"):
        np.testing.assert_array_equal(getattr(dense, name), getattr(sparse, name))


def test_saved_counts_go_on():
    """What is saved is a copy, and loading it goes on."""
    whole = steps(400)
    first = counted(whole, [150])
    state = first.state_dict()
    first.observe(part(whole, slice(150, 400)))
    other = counted(whole, [])
    other.load_state_dict(state)
    other.observe(part(whole, slice(150, 400)))

    assert difference(first.state_dict(), other.state_dict()) is None


def test_scopes():
    """All states that are not terminal, those with a decision, those where episodes began."""
    whole = part(steps(50), slice(0, 1))
    counts = counted(whole, [1], terminal=(False, False, True))
    state = int(whole.observations[0])

    assert counts.in_scope("all").tolist() == [True, True, False]
    assert np.flatnonzero(counts.in_scope("visited")).tolist() == [state]
    assert np.flatnonzero(counts.in_scope("initial")).tolist() == [state]

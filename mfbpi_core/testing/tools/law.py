"""Steps that were taken, compared with the model that they should follow.

Each function raises :class:`CheckFailure`. Frequencies: see the module ``goodness``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Observation
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.tools.goodness import ROUNDING, require_frequencies


def require_transitions(model: TabularMDP, steps: Transitions) -> None:
    """Transition frequencies agree with the model's probabilities."""
    counts = np.zeros((model.n_states, model.n_actions, model.n_states))  # N[s, a, s']
    np.add.at(counts, (steps.observations, steps.actions, steps.next_observations), 1.0)
    require_frequencies(counts, model.transitions, "the model's P({2} | s={0}, a={1})")


def require_rewards(model: TabularMDP, steps: Transitions) -> None:
    """Rewards obey the law, and their means agree."""
    if model.reward_law == "bernoulli":
        wrong = iter(np.flatnonzero((steps.rewards != 0.0) & (steps.rewards != 1.0)).tolist())
    else:
        wrong = _not_paid(model, steps)
    for i in itertools.islice(wrong, 1):
        s, a, following = steps.observations[i], steps.actions[i], steps.next_observations[i]
        said = _rewards_on_the_way(model, int(s), int(a), int(following))
        what = f"(s={s}, a={a}) paid {steps.rewards[i]:.6g} on the way to state {following}"
        mean = " or ".join(f"{r:.6g}" for r in said) or "that it cannot happen"
        require(False, f"{what}; the model says {mean}, {model.reward_law}")
    if model.reward_law == "bernoulli":
        _require_mean_rewards(model, steps)


def _not_paid(model: TabularMDP, steps: Transitions) -> Iterator[int]:
    """Steps whose reward the model does not have; slots may share a state and not a reward."""
    likely = _rewards(model)[steps.observations, steps.actions, steps.next_observations]
    doubtful = np.flatnonzero(np.abs(steps.rewards - likely) > ROUNDING)
    for i in doubtful.tolist():
        pair = int(steps.observations[i]), int(steps.actions[i])
        said = _rewards_on_the_way(model, *pair, int(steps.next_observations[i]))
        if not (np.abs(said - steps.rewards[i]) <= ROUNDING).any():
            yield i


def _rewards_on_the_way(model: TabularMDP, s: int, a: int, following: int) -> FloatArray:
    """The mean rewards of the slots that lead there, without repetition."""
    used = (model.successors[s, a] == following) & (model.probabilities[s, a] > 0.0)
    return np.unique(model.rewards[s, a][used])


def _require_mean_rewards(model: TabularMDP, steps: Transitions) -> None:
    visits = np.zeros((model.n_states, model.n_actions))  # N[s, a]
    paid = np.zeros((model.n_states, model.n_actions))  # sum of rewards [s, a]
    np.add.at(visits, (steps.observations, steps.actions), 1.0)
    np.add.at(paid, (steps.observations, steps.actions), steps.rewards)
    counts = np.stack([visits - paid, paid], axis=2)  # how often (s, a) paid 0 and 1
    means = np.stack([1.0 - model.mean_rewards, model.mean_rewards], axis=2)
    require_frequencies(counts, means, "the model's P(reward {2} | s={0}, a={1})")


def require_terminations(model: TabularMDP, steps: Transitions) -> None:
    """Episodes terminate on arrival at terminal states, and only there."""
    wrong = np.flatnonzero(model.terminal[steps.next_observations] != steps.terminated)
    for i in wrong[:1]:
        state, said = steps.next_observations[i], bool(steps.terminated[i])
        advice = "a time limit is a truncation" if said else "expected the end of the episode"
        require(False, f"arrival at state {state} gave terminated={said}; {advice}")


def require_first_states(model: TabularMDP, states: Sequence[Observation] | Array) -> None:
    """First states [n] are drawn from the initial distribution."""
    seen = np.bincount(np.asarray(states, dtype=np.int64), minlength=model.n_states)
    counts = seen.astype(np.float64)[None, None]
    require_frequencies(counts, model.initial[None, None], "the model's P(first state is {2})")


def _rewards(model: TabularMDP) -> FloatArray:
    """Dense mean rewards R[s, a, s']; of one slot where several lead there."""
    dense = np.zeros((model.n_states, model.n_actions, model.n_states))  # R[s, a, s']
    s, a, k = np.nonzero(model.probabilities > 0.0)
    dense[s, a, model.successors[s, a, k]] = model.rewards[s, a, k]
    return dense

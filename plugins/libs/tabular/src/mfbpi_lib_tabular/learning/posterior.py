"""What model-based agents know of the model: counts, and the estimates and draws made from them.

A transition that ends the task leads nowhere: it is counted as an ending, and the rows of an
estimate sum to less than one by the probability of it. Endings get no prior weight, so that a task
in which none was seen is taken for a continuing one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_tabular.compiled import leaf
from mfbpi_lib_tabular.learning import memory

#: Rows that fall short of one by no more than this are complete.
ROUNDING = 1e-12

#: From so many entries S x A x S on, what is drawn is drawn by shape.
LARGE = 250_000


class Counts(NamedTuple):
    """The transitions seen so far.

    Attributes:
        visits: int64 [S, A], N(s, a).
        transitions: int64 [S, A, S], N(s, a, s'), endings left out.
        endings: int64 [S, A], how often the task ended.
        rewards: float64 [S, A], sum of the rewards.
        starts: int64 [S], how often the interaction began in a state, after the end of an
            episode or at first; a truncation shows by the state that comes next.
        following: int64 [1], where the next transition should begin; -1 after an ending.
    """

    visits: IntArray
    transitions: IntArray
    endings: IntArray
    rewards: FloatArray
    starts: IntArray
    following: IntArray

    @classmethod
    def empty(cls, n_states: int, n_actions: int) -> Counts:
        """Nothing seen.

        Raises:
            RequirementError: where the machine has no room for the counts and an estimate.
        """
        memory.require_room(n_states, n_actions)
        table = (n_states, n_actions)
        return cls(
            visits=np.zeros(table, dtype=np.int64),
            transitions=np.zeros((*table, n_states), dtype=np.int64),
            endings=np.zeros(table, dtype=np.int64),
            rewards=np.zeros(table),
            starts=np.zeros(n_states, dtype=np.int64),
            following=np.full(1, -1, dtype=np.int64),
        )


class Estimate(NamedTuple):
    """A model of the instance, estimated or drawn.

    Attributes:
        transitions: float64 [S, A, S], probabilities of going on in s'; a row falls short of one
            by the probability that the task ends.
        rewards: float64 [S, A], mean rewards.
    """

    transitions: FloatArray
    rewards: FloatArray


@leaf
def count(counts: Counts, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Add one transition."""
    started, ended = int(s != counts.following[0]), int(terminated)
    counts.starts[s] += started
    counts.following[0] = -1 if terminated else s2
    counts.visits[s, a] += 1
    counts.rewards[s, a] += r
    counts.endings[s, a] += ended
    counts.transitions[s, a, s2] += 1 - ended


def smoothed(counts: Counts, smoothing: float) -> Estimate:
    """The empirical model, ``smoothing`` imagined transitions to every state added to each pair.

    P(s'|s, a) = (N(s, a, s') + smoothing) / (N(s, a) + smoothing S); rewards are plain means, 0
    for pairs never visited.

    Args:
        counts: the transitions seen.
        smoothing: more than 0.
    """
    n_states = counts.visits.shape[0]
    total = counts.visits + smoothing * n_states  # [S, A]
    transitions = (counts.transitions + smoothing) / total[:, :, None]
    return Estimate(transitions, counts.rewards / np.maximum(counts.visits, 1))


def empirical(counts: Counts, unseen_reward: float = 0.0) -> Estimate:
    """Frequencies and mean rewards as they were seen.

    Args:
        counts: the transitions seen.
        unseen_reward: what a pair never visited pays; it leads to every state alike.
    """
    unseen = (counts.visits == 0).astype(np.float64)  # [S, A]
    n_states = counts.visits.shape[0]
    total = np.maximum(counts.visits, 1)
    transitions = counts.transitions / total[:, :, None] + (unseen / n_states)[:, :, None]
    return Estimate(transitions, counts.rewards / total + unseen * unseen_reward)


def draw(
    counts: Counts,
    prior: float,
    reward_range: tuple[float, float],
    rng: np.random.Generator,
) -> Estimate:
    """A model drawn from the posterior.

    P(.|s, a) ~ Dirichlet(N(s, a, .) + prior). Mean rewards have a Beta posterior with uniform
    prior; a reward between the ends of its range counts in part as either,

        r(s, a) ~ Beta(1 + sum of r, 1 + N(s, a) - sum of r),   r scaled to [0, 1].

    Args:
        counts: the transitions seen.
        prior: weight of each state in the prior, more than 0.
        reward_range: lowest and highest reward.
        rng: the agent's generator.
    """
    weights = _gammas(counts.transitions, prior, rng)  # [S, A, S]
    total = weights.sum(axis=2)
    if counts.endings.any():
        total += rng.standard_gamma(counts.endings.astype(np.float64))
    weights /= total[:, :, None]
    low, high = reward_range
    paid = np.clip((counts.rewards - low * counts.visits) / (high - low), 0.0, counts.visits)
    rewards = low + (high - low) * rng.beta(1.0 + paid, 1.0 + counts.visits - paid)
    return Estimate(weights, rewards)


def _gammas(transitions: IntArray, prior: float, rng: np.random.Generator) -> FloatArray:
    """Gamma variates of shape N(s, a, s') + prior, all above 0, [S, A, S].

    Of a large instance and a uniform prior nearly all have shape 1: they are exponential, which
    takes less time to draw. From a generator's numbers other draws are made then; their law is
    the same.
    """
    if prior != 1.0 or transitions.size < LARGE:
        weights = rng.standard_gamma(transitions + prior)
    else:
        weights = rng.standard_exponential(transitions.shape)
        seen = transitions.ravel().nonzero()[0]
        weights.ravel()[seen] = rng.standard_gamma(transitions.ravel()[seen] + prior)
    # A gamma variate of small shape can underflow; a row must keep some weight.
    return np.maximum(weights, np.finfo(np.float64).tiny, out=weights)


def posterior_mean(counts: Counts, prior: float, reward_range: tuple[float, float]) -> Estimate:
    """The mean of :func:`draw`: transitions :func:`smoothed` by the prior, rewards by theirs."""
    low, high = reward_range
    rewards = (counts.rewards + low + high) / (counts.visits + 2.0)
    return Estimate(smoothed(counts, prior).transitions, rewards)


def walk(model: Estimate, starts: IntArray) -> FloatArray:
    """Where a walk is after each pair when it goes on after an ending, float64 [S A, S].

    Args:
        model: the model; what its rows lack is the probability of an ending.
        starts: how often each state [S] began an episode; they follow endings in proportion.
    """
    n_states = model.transitions.shape[0]
    rows = model.transitions.reshape(-1, n_states)
    total = int(starts.sum())
    if total == 0:
        return rows
    ending = np.maximum(1.0 - rows.sum(axis=1), 0.0)  # [S A]
    return rows + np.where(ending > ROUNDING, ending, 0.0)[:, None] * (starts / total)

"""What was seen of an instance: counts of transitions and sums of rewards, as sparse rows."""

from __future__ import annotations

import functools
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts
from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.errors import ModelError

RewardLaw = Literal["any", "deterministic"]

#: Counts up to here are exact in float64.
LARGEST_COUNT = 2**53

#: Sums of rewards may leave [low n, high n] by this much, relatively: rounding.
ROUNDING = 1e-9


@attrs.frozen(kw_only=True, eq=False)
class Evidence:
    """Counts and sums of rewards of every pair; pair j is (s, a) with j = s A + a.

    Outcomes of a pair are the states 0..S-1 and, where ``may_end``, one more, number S: the task
    ended in no declared state. A transition into a terminal state counts as one into that state.
    A truncation is no transition of its own: its last step counts like any other.

    Attributes:
        n_states: S, declared before the data were seen.
        n_actions: A, likewise.
        starts: int64 [S A + 1]; pair j holds the entries ``starts[j]`` to ``starts[j + 1]``.
        outcomes: int64 [E], the outcome of each entry, increasing within a pair.
        counts: int64 [E], how often it was seen, 1 or more.
        rewards: float64 [S, A], sums of the rewards.
        known_rewards: float64 [E], the reward of each entry where rewards are declared
            deterministic given (s, a, s'); None where they may have any law.
        entry_rewards: float64 [E], sums of the rewards of each entry, where they were given by
            successor; None where only sums of pairs are known.
        terminal: bool [S], states where nothing is decided and the value is 0.
        may_end: whether a task may end elsewhere than in a terminal state; declared beforehand.
        reward_range: lowest and highest reward.
    """

    n_states: int
    n_actions: int
    starts: IntArray
    outcomes: IntArray
    counts: IntArray
    rewards: FloatArray
    known_rewards: FloatArray | None
    entry_rewards: FloatArray | None = None
    terminal: BoolArray
    may_end: bool
    reward_range: tuple[float, float]

    @classmethod
    def from_dense(
        cls,
        transitions: npt.ArrayLike,
        rewards: npt.ArrayLike,
        *,
        terminal: npt.ArrayLike | None = None,
        endings: npt.ArrayLike | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        reward_law: RewardLaw = "any",
    ) -> Evidence:
        """Gather dense counts.

        Args:
            transitions: integers [S, A, S], N(s, a, s').
            rewards: sums of the rewards, [S, A], or by successor [S, A, S], with endings in a
                last column if there are any, [S, A, S + 1].
            terminal: bool [S]; none if omitted.
            endings: integers [S, A], how often the task ended in no declared state; given, be it
                all zero, wherever that may happen.
            reward_range: lowest and highest reward.
            reward_law: "any", or "deterministic" given (s, a, s'), which needs sums by successor.

        Raises:
            ModelError: naming the pair and the number that cannot be.
        """
        table = _counts(transitions, endings)  # [S, A, K]
        n_states, n_actions, n_outcomes = table.shape
        mask = np.zeros(n_states, dtype=np.bool_)
        if terminal is not None:
            mask = np.array(terminal, dtype=np.bool_)
        rows, outcomes = np.nonzero(table.reshape(-1, n_outcomes))
        counts = table.reshape(-1, n_outcomes)[rows, outcomes]
        sums = np.asarray(rewards, dtype=np.float64)
        known, by_entry = None, None
        if reward_law == "deterministic" or sums.shape == table.shape:
            by_entry = _by_successor(sums, table.shape)[rows, outcomes]
        if reward_law == "deterministic" and by_entry is not None:
            known = by_entry / counts
        _check_rewards(sums, table, reward_range)
        _check_terminal(table, mask)
        return cls(
            n_states=n_states,
            n_actions=n_actions,
            starts=np.searchsorted(rows, np.arange(n_states * n_actions + 1)).astype(np.int64),
            outcomes=outcomes.astype(np.int64),
            counts=counts,
            rewards=sums if sums.ndim == 2 else sums.sum(axis=2),
            known_rewards=known,
            entry_rewards=by_entry,
            terminal=mask,
            may_end=endings is not None,
            reward_range=(float(reward_range[0]), float(reward_range[1])),
        )

    @classmethod
    def from_counts(cls, counts: Counts, reward_range: tuple[float, float]) -> Evidence:
        """What a run has counted; rewards of any law in their range."""
        found, n_pairs = counts.entries(), counts.n_states * counts.n_actions
        sums = np.zeros(n_pairs)  # R[s, a]
        np.add.at(sums, found.pairs, found.rewards)
        return cls(
            n_states=counts.n_states,
            n_actions=counts.n_actions,
            starts=np.searchsorted(found.pairs, np.arange(n_pairs + 1)).astype(np.int64),
            outcomes=found.outcomes,
            counts=found.visits,
            rewards=sums.reshape(counts.n_states, counts.n_actions),
            known_rewards=None,
            entry_rewards=found.rewards,
            terminal=counts.terminal,
            may_end=counts.may_end,
            reward_range=(float(reward_range[0]), float(reward_range[1])),
        )

    @property
    def n_outcomes(self) -> int:
        """K: the states, and the ending where there may be one."""
        return self.n_states + self.may_end

    @property
    def n_pairs(self) -> int:
        """S A."""
        return self.n_states * self.n_actions

    @functools.cached_property
    def rows(self) -> IntArray:
        """Number of the pair of each entry, int64 [E]."""
        return np.repeat(np.arange(self.n_pairs), np.diff(self.starts))

    @functools.cached_property
    def visits(self) -> IntArray:
        """N(s, a), int64 [S, A]."""
        # Not through floating-point weights: sums of pairs must be exact up to 2^53.
        total = np.concatenate([[0], np.cumsum(self.counts)])
        shape = (self.n_states, self.n_actions)
        return np.diff(total[self.starts]).reshape(shape).astype(np.int64)

    @functools.cached_property
    def live(self) -> BoolArray:
        """Pairs at which something is decided, bool [S A]."""
        return np.repeat(~self.terminal, self.n_actions)

    @property
    def scaled_rewards(self) -> FloatArray:
        """Sums of the rewards with the range mapped to [0, 1], cut to [0, n], float64 [S, A]."""
        low, high = self.reward_range
        return np.clip((self.rewards - low * self.visits) / (high - low), 0.0, self.visits)

    @property
    def frequencies(self) -> FloatArray:
        """The observed law of each pair, float64 [E]."""
        return self.counts / self.visits.reshape(-1)[self.rows]

    @property
    def value_range(self) -> tuple[float, float]:
        """Least and largest value that any policy may have; terminal states have 0 rewards."""
        return min(self.reward_range[0], 0.0), max(self.reward_range[1], 0.0)

    def unvisited(self) -> BoolArray:
        """Pairs that count and were never seen, bool [S, A]."""
        return (self.visits == 0) & ~self.terminal[:, None]


def _counts(transitions: npt.ArrayLike, endings: npt.ArrayLike | None) -> IntArray:
    """Counts [S, A, K] of all outcomes."""
    table = np.asarray(transitions)
    if table.ndim != 3 or table.shape[0] != table.shape[2] or 0 in table.shape:
        raise ModelError(f"transitions have shape {table.shape}; expected counts [S, A, S]")
    if endings is not None:
        ended = np.asarray(endings)
        if ended.shape != table.shape[:2]:
            raise ModelError(f"endings have shape {ended.shape}; expected {table.shape[:2]}")
        table = np.concatenate([table, ended[:, :, None]], axis=2)
    wrong = ~((table >= 0) & (table <= LARGEST_COUNT) & (table == np.floor(table)))
    if wrong.any() or table.sum(dtype=np.float64) > LARGEST_COUNT:
        s, a, k = (int(i[0]) for i in np.nonzero(wrong)) if wrong.any() else (-1, -1, -1)
        where = (
            f"N({s}, {a}, {k}) = {table[s, a, k]!r}" if wrong.any() else "their sum is too large"
        )
        raise ModelError(f"counts must be whole numbers from 0, below 2^53 in all; {where}")
    return table.astype(np.int64)


def _by_successor(sums: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Sums of rewards [S A, K], where they are needed by successor."""
    if sums.shape != shape:
        raise ModelError(
            f"rewards have shape {sums.shape}; deterministic rewards are needed by successor, "
            f"{shape}"
        )
    return sums.reshape(-1, shape[2])


def _check_rewards(sums: FloatArray, table: IntArray, reward_range: tuple[float, float]) -> None:
    """Refuse sums of rewards that no rewards of the range could have."""
    low, high = reward_range
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ModelError(f"the reward range is {reward_range}; expected two finite numbers, a < b")
    visits = table if sums.ndim == 3 else table.sum(axis=2)
    if sums.shape != visits.shape:
        raise ModelError(
            f"rewards have shape {sums.shape}; expected {table.shape[:2]} or {table.shape}"
        )
    tolerance = ROUNDING * max(abs(low), abs(high)) * visits
    # Written so that NaN is refused too.
    wrong = ~((sums >= low * visits - tolerance) & (sums <= high * visits + tolerance))
    if wrong.any():
        where = tuple(int(i[0]) for i in np.nonzero(wrong))
        raise ModelError(
            f"the rewards of {where} sum to {sums[where]!r} in {visits[where]} visits; expected "
            f"rewards in [{low}, {high}]"
        )


def _check_terminal(table: IntArray, terminal: BoolArray) -> None:
    """Refuse transitions out of terminal states."""
    if terminal.shape != table.shape[:1]:
        raise ModelError(
            f"the mask of terminal states has shape {terminal.shape}; expected {table.shape[:1]}"
        )
    if terminal.any() and table[terminal].any():
        state = int(np.flatnonzero(terminal & table.any(axis=(1, 2)))[0])
        raise ModelError(
            f"state {state} is terminal but has transitions; leave out what follows an ending"
        )

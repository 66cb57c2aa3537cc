"""Tabular Markov decision processes as validated data; solvers live in plugins."""

from __future__ import annotations

import functools
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.data.mdp import _rewards as rewarding
from mfbpi_core.data.mdp import _validation as check
from mfbpi_core.errors import ModelError

RewardLaw = Literal["bernoulli", "deterministic"]

#: Dense [S, A, S] arrays above this many entries (2 GiB of float64) are refused.
DENSE_LIMIT = 2**28


@attrs.frozen(kw_only=True, eq=False)
class TabularMDP:
    """A finite MDP phi = (S, A, P, q, p0) stored as successor lists.

    The K slots of a pair (s, a) list the states it can lead to; unused slots have probability
    zero. Build one with :meth:`from_dense` or :meth:`from_successors`, which copy, validate and
    renormalise; every array is read-only. The discount is not part of the instance: it belongs
    to the question asked about it.

    Attributes:
        successors: int64 [S, A, K], state reached by slot k.
        probabilities: float64 [S, A, K], its probability; sums to one over k.
        rewards: float64 [S, A, K], mean reward of that transition.
        mean_rewards: float64 [S, A], r(s, a).
        reward_law: ``"bernoulli"`` (the reward is 1 with probability ``rewards[s, a, k]``, else
            0) or ``"deterministic"`` (the reward is ``rewards[s, a, k]``).
        initial: float64 [S], distribution of the first state.
        terminal: bool [S]. An episode ends on arrival; no decision is taken there, the value is
            zero, and the stored row is a self-loop without reward.
        reward_range: lowest and highest reward declared, [0, 1] unless told otherwise.
    """

    successors: IntArray
    probabilities: FloatArray
    rewards: FloatArray
    mean_rewards: FloatArray
    reward_law: RewardLaw
    initial: FloatArray
    terminal: BoolArray
    reward_range: tuple[float, float]

    @classmethod
    def from_successors(
        cls,
        successors: npt.ArrayLike,
        probabilities: npt.ArrayLike,
        rewards: npt.ArrayLike,
        *,
        reward_law: RewardLaw = "deterministic",
        initial: npt.ArrayLike | None = None,
        terminal: npt.ArrayLike | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> TabularMDP:
        """Build from successor lists.

        Args:
            successors: integers [S, A, K] in 0..S-1.
            probabilities: [S, A, K], 0 or more, rows summing to one, both up to rounding (1e-6).
            rewards: mean rewards, [S, A] or [S, A, K]. Those of terminal states are never paid.
            reward_law: see the class.
            initial: [S] distribution of the first state; state 0 if omitted.
            terminal: [S] mask, booleans or 0 and 1; no terminal state if omitted.
            reward_range: declared range of the rewards; outside [0, 1] only if declared here.

        Raises:
            ModelError: naming the array, the index and the offending number.

        Warns:
            ModelWarning: when terminal states have rewards that are not 0, or episodes begin there.
        """
        limits = rewarding.declared_range(reward_range)
        successor_array, listed = check.successor_lists(successors, probabilities)
        terminal_mask = check.mask(terminal, len(listed))
        listed = check.rows("probabilities", listed, terminal_mask)
        paid = rewarding.checked(rewards, listed, terminal_mask, limits, "[S, A, K]")
        start = check.initial(initial, len(listed))
        check.warn_of_ended_start(start, terminal_mask)
        return cls._build(successor_array, listed, paid, reward_law, start, terminal_mask, limits)

    @classmethod
    def from_dense(
        cls,
        transitions: npt.ArrayLike,
        rewards: npt.ArrayLike,
        *,
        reward_law: RewardLaw = "deterministic",
        initial: npt.ArrayLike | None = None,
        terminal: npt.ArrayLike | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> TabularMDP:
        """Build from transition probabilities [S, A, S] and mean rewards [S, A] or [S, A, S].

        Other arguments and errors: see :meth:`from_successors`.
        """
        limits = rewarding.declared_range(reward_range)
        dense = check.dense_transitions(transitions)
        terminal_mask = check.mask(terminal, len(dense))
        dense = check.rows("transitions", dense, terminal_mask)
        paid = rewarding.checked(rewards, dense, terminal_mask, limits, "[S, A, S]")
        start = check.initial(initial, len(dense))
        check.warn_of_ended_start(start, terminal_mask)
        n_slots = max(1, int(np.count_nonzero(dense, axis=2).max()))
        # A stable sort of "is zero" puts the successors first and keeps them in state order.
        order = np.argsort(dense == 0.0, axis=2, kind="stable")[:, :, :n_slots]
        if paid.ndim == 3:
            paid = np.take_along_axis(paid, order, axis=2)
        listed = np.take_along_axis(dense, order, axis=2)
        return cls._build(order, listed, paid, reward_law, start, terminal_mask, limits)

    @classmethod
    def _build(
        cls,
        successors: IntArray,
        probabilities: FloatArray,
        rewards: FloatArray,
        law: RewardLaw,
        initial: FloatArray,
        terminal: BoolArray,
        limits: tuple[float, float],
    ) -> TabularMDP:
        """Store arrays that are checked and our own; rewards [S, A] or [S, A, K]."""
        probabilities = check.renormalised(probabilities, terminal)
        if rewards.ndim == 2:
            mean, per_slot = rewards, np.repeat(rewards[:, :, None], probabilities.shape[2], axis=2)
        else:
            mean, per_slot = np.einsum("sak,sak->sa", probabilities, rewards), rewards
        per_slot[probabilities == 0.0] = limits[0]  # unused slots carry no information
        _absorb(terminal, successors, probabilities, per_slot, mean)
        return cls(
            successors=check.read_only(successors),
            probabilities=check.read_only(probabilities),
            rewards=check.read_only(per_slot),
            mean_rewards=check.read_only(mean),
            reward_law=check.reward_law(law, limits),
            initial=check.read_only(initial),
            terminal=check.read_only(terminal),
            reward_range=limits,
        )

    @property
    def n_states(self) -> int:
        """Number of states S."""
        return int(self.probabilities.shape[0])

    @property
    def n_actions(self) -> int:
        """Number of actions A."""
        return int(self.probabilities.shape[1])

    @functools.cached_property
    def transitions(self) -> FloatArray:
        """Dense transition probabilities P[s, a, s'], read-only.

        Raises:
            ModelError: when [S, A, S] would not fit in 2 GiB; use the successor lists instead.
        """
        n_states, n_actions = self.n_states, self.n_actions
        if n_states * n_actions * n_states > DENSE_LIMIT:
            raise ModelError(
                f"a dense [S, A, S] array of {n_states} states and {n_actions} actions is too "
                "large; use `successors` and `probabilities`"
            )
        dense = np.zeros((n_states, n_actions, n_states))  # P[s, a, s']
        s, a, _ = np.ogrid[:n_states, :n_actions, : self.probabilities.shape[2]]
        np.add.at(dense, (s, a, self.successors), self.probabilities)
        return check.read_only(dense)


def _absorb(
    terminal: BoolArray,
    successors: IntArray,
    probabilities: FloatArray,
    rewards: FloatArray,
    mean: FloatArray,
) -> None:
    """Turn the rows of terminal states into self-loops without reward, in place."""
    states = np.flatnonzero(terminal)
    successors[states] = states[:, None, None]
    probabilities[states] = 0.0
    probabilities[states, :, 0] = 1.0
    rewards[states] = 0.0
    mean[states] = 0.0

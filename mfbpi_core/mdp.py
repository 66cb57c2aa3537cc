"""Tabular Markov decision processes as validated data; solvers live in plugins."""

from __future__ import annotations

import functools
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import _validation as check
from mfbpi_core.errors import ModelError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
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
            probabilities: [S, A, K], rows summing to one up to rounding (1e-6).
            rewards: mean rewards, [S, A] or [S, A, K].
            reward_law: see the class.
            initial: [S] distribution of the first state; state 0 if omitted.
            terminal: [S] mask; no terminal state if omitted.
            reward_range: declared range of the rewards; outside [0, 1] only if declared here.

        Raises:
            ModelError: naming the pair (s, a) and the offending number.
        """
        successor_array, probability_array = check.successor_lists(successors, probabilities)
        n_states, n_actions, _ = probability_array.shape
        terminal_mask = check.mask(terminal, n_states)
        probability_array = check.renormalised(probability_array, terminal_mask)
        reward_array = check.finite("rewards", rewards)
        if reward_array.shape == (n_states, n_actions):
            mean = reward_array.copy()
            per_slot = np.broadcast_to(mean[:, :, None], probability_array.shape).copy()
        elif reward_array.shape == probability_array.shape:
            per_slot = reward_array.copy()
            mean = np.einsum("sak,sak->sa", probability_array, per_slot)
        else:
            raise ModelError(
                f"rewards have shape {reward_array.shape}; expected [S, A] = "
                f"{(n_states, n_actions)} or one per transition, {probability_array.shape}"
            )
        law = check.reward_law(reward_law, reward_range)
        per_slot[probability_array == 0.0] = reward_range[0]  # unused slots carry no information
        check.rewards_in_range(per_slot, reward_range, terminal_mask)
        _absorb(terminal_mask, successor_array, probability_array, per_slot, mean)
        return cls(
            successors=check.read_only(successor_array),
            probabilities=check.read_only(probability_array),
            rewards=check.read_only(per_slot),
            mean_rewards=check.read_only(mean),
            reward_law=law,
            initial=check.read_only(check.initial(initial, n_states)),
            terminal=check.read_only(terminal_mask),
            reward_range=(float(reward_range[0]), float(reward_range[1])),
        )

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
        dense = check.dense_transitions(transitions)
        reward_array = check.finite("rewards", rewards)
        n_slots = max(1, int(np.count_nonzero(dense, axis=2).max()))
        # A stable sort of "is zero" puts the successors first and keeps them in state order.
        order = np.argsort(dense == 0.0, axis=2, kind="stable")[:, :, :n_slots]
        if reward_array.ndim == 3 and reward_array.shape == dense.shape:
            reward_array = np.take_along_axis(reward_array, order, axis=2)
        elif reward_array.shape != dense.shape[:2]:
            raise ModelError(
                f"rewards have shape {reward_array.shape}; expected [S, A] = {dense.shape[:2]} "
                f"or [S, A, S] = {dense.shape}"
            )
        return cls.from_successors(
            order,
            np.take_along_axis(dense, order, axis=2),
            reward_array,
            reward_law=reward_law,
            initial=initial,
            terminal=terminal,
            reward_range=reward_range,
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

"""What was seen of an instance with integer states, whatever the chunks it was seen in.

Pair j is (s, a) with j = s A + a. The outcomes of a pair are the states and, where a task may end
in no declared terminal state, one more, number S. Sums of rewards are kept by outcome, added one
by one in the order of the steps, so that the division into chunks changes no bit of them.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError

#: With more states, only what was seen has a place of its own.
DENSE_STATES = 200


@attrs.frozen(kw_only=True, eq=False)
class Entries:
    """What was seen, sorted by pair and outcome; n entries.

    Attributes:
        pairs: int64 [n], s A + a.
        outcomes: int64 [n], the next state; S for an end in no declared terminal state.
        visits: int64 [n], 1 or more.
        rewards: float64 [n], sum of the rewards of these steps.
    """

    pairs: IntArray
    outcomes: IntArray
    visits: IntArray
    rewards: FloatArray


@attrs.define(kw_only=True, eq=False)
class Counts:
    """Counts of transitions and sums of rewards.

    Attributes:
        n_states: S.
        n_actions: A.
        terminal: bool [S], states that are declared to be the end of the task.
        may_end: whether the task may end elsewhere too; declared beforehand.
        steps: number of transitions.
        start: int64 [S], how often an episode began in each state.
        cuts: how many episodes were cut short, without an end of the task.
        reward_min: smallest reward seen; infinity before the first.
        reward_max: largest; minus infinity before the first.
    """

    n_states: int
    n_actions: int
    terminal: npt.NDArray[np.bool_]
    may_end: bool
    steps: int = 0
    start: IntArray = attrs.field(init=False)
    cuts: int = 0
    reward_min: float = np.inf
    reward_max: float = -np.inf
    _places: IntArray | None = attrs.field(init=False)  # codes of the entries; all if None
    _visits: IntArray = attrs.field(init=False)
    _rewards: FloatArray = attrs.field(init=False)
    _begins: bool = True

    def __attrs_post_init__(self) -> None:
        dense = self.n_states <= DENSE_STATES
        size = self.n_states * self.n_actions * self.n_outcomes if dense else 0
        self.start = np.zeros(self.n_states, dtype=np.int64)
        self._places = None if dense else np.zeros(0, dtype=np.int64)
        self._visits = np.zeros(size, dtype=np.int64)
        self._rewards = np.zeros(size)

    @property
    def n_outcomes(self) -> int:
        """K: the states, and the ending where there may be one."""
        return self.n_states + self.may_end

    def observe(self, steps: Transitions) -> None:
        """Count further steps, all of them, in order.

        Raises:
            PluginError: for an end where the environment declares that there is none.
        """
        if not len(steps):
            return
        slots = self._slots(self._codes(steps))
        np.add.at(self._visits, slots, 1)
        np.add.at(self._rewards, slots, steps.rewards)
        ends = steps.terminated | steps.truncated
        begins = np.concatenate([[self._begins], ends[:-1]])
        np.add.at(self.start, steps.observations[begins], 1)
        self._begins = bool(ends[-1])
        self.cuts += int(np.count_nonzero(steps.truncated & ~steps.terminated))
        self.steps += len(steps)
        self.reward_min = min(self.reward_min, float(steps.rewards.min()))
        self.reward_max = max(self.reward_max, float(steps.rewards.max()))

    def _codes(self, steps: Transitions) -> IntArray:
        """Number of the entry of each step, j K + outcome."""
        following = np.asarray(steps.next_observations, dtype=np.int64)
        elsewhere = steps.terminated & ~self.terminal[following]
        if not self.may_end and elsewhere.any():
            state = int(following[elsewhere][0])
            raise PluginError(
                f"the task ended in state {state}, which the model does not declare to be terminal"
            )
        outcomes = np.where(elsewhere, self.n_states, following)
        pairs = np.asarray(steps.observations, dtype=np.int64) * self.n_actions + steps.actions
        codes: IntArray = pairs * self.n_outcomes + outcomes
        return codes

    def _slots(self, codes: IntArray) -> IntArray:
        """Where the entries are, with room made for those that are new."""
        if self._places is None:
            return codes
        known = self._places
        new = np.setdiff1d(codes, known)
        if new.size:
            self._places = np.union1d(known, new)
            old = np.searchsorted(self._places, known)
            for name in ("_visits", "_rewards"):
                before = getattr(self, name)
                grown = np.zeros(self._places.size, dtype=before.dtype)
                grown[old] = before
                setattr(self, name, grown)
        return np.searchsorted(self._places, codes)

    def entries(self) -> Entries:
        """What was seen so far, as copies."""
        seen = np.flatnonzero(self._visits)
        codes = seen if self._places is None else self._places[seen]
        return Entries(
            pairs=codes // self.n_outcomes,
            outcomes=codes % self.n_outcomes,
            visits=self._visits[seen],
            rewards=self._rewards[seen],
        )

    @property
    def visits(self) -> IntArray:
        """N(s, a), int64 [S, A]."""
        found, shape = self.entries(), (self.n_states, self.n_actions)
        visits = np.zeros(self.n_states * self.n_actions, dtype=np.int64)
        np.add.at(visits, found.pairs, found.visits)
        return visits.reshape(shape)

    def in_scope(self, scope: str) -> npt.NDArray[np.bool_]:
        """States of a scope, bool [S]: "all", "visited", or "initial", where episodes began."""
        if scope == "visited":
            return ~self.terminal & self.visits.any(axis=1)
        return ~self.terminal & (self.start > 0) if scope == "initial" else ~self.terminal

    def state_dict(self) -> StateDict:
        """Everything that counting changes, as a copy."""
        changing = ("steps", "start", "cuts", "reward_min", "reward_max")
        hidden = ("_places", "_visits", "_rewards", "_begins")
        found = {name: getattr(self, name) for name in (*changing, *hidden)}
        return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in found.items()}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        for name, value in state.items():
            setattr(self, name, value.copy() if isinstance(value, np.ndarray) else value)

"""A model with the names of its states and actions, and its discount where it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import ModelError, UsageError
from mfbpi_lib_tabular.models import listed

#: A row of probabilities may miss one by this much.
ROUNDING = 1e-6

#: (state, action, next state, probability, reward, terminated)
Row = tuple[int, int, int, float, float, bool]


@attrs.frozen(kw_only=True, eq=False)
class Named:
    """A model as a file has it.

    Attributes:
        mdp: the model.
        states: a name for each state.
        actions: a name for each action.
        discount: gamma, in (0, 1); None where the file does not say.
    """

    mdp: TabularMDP
    states: tuple[str, ...]
    actions: tuple[str, ...]
    discount: float | None = None

    @classmethod
    def numbered(cls, mdp: TabularMDP, discount: float | None = None) -> Named:
        """A model whose states and actions are called by their numbers."""
        states, actions = map(str, range(mdp.n_states)), map(str, range(mdp.n_actions))
        return cls(mdp=mdp, states=tuple(states), actions=tuple(actions), discount=discount)

    def rows(self) -> Iterator[Row]:
        """The transitions of states that are not terminal; those that say the same, once."""
        mdp = self.mdp
        for s in np.flatnonzero(~mdp.terminal):
            for a in range(mdp.n_actions):
                here = [
                    (float(p), int(following), float(r), bool(mdp.terminal[following]))
                    for p, following, r in zip(
                        mdp.probabilities[s, a],
                        mdp.successors[s, a],
                        mdp.rewards[s, a],
                        strict=True,
                    )
                ]
                for p, following, r, end in listed.merged_entries(here, int(s), a):
                    yield int(s), a, following, p, r, end


@attrs.define(kw_only=True)
class Draft:
    """What was read of a file, before it is checked as a whole.

    Attributes:
        file: what messages call it.
        states: names of the states.
        actions: names of the actions.
        entries: what may follow each pair.
        initial: distribution of the first state; None for the first state.
        terminal: numbers of states that the file calls terminal.
        discount: gamma, or None.
        reward_range: limits of the rewards; None for [0, 1] if all are in it, else those found.
        reward_law: see :class:`mfbpi_core.TabularMDP`.
    """

    file: str
    states: list[str]
    actions: list[str]
    entries: listed.Rows
    initial: FloatArray | None = None
    terminal: set[int] = attrs.field(factory=set)
    discount: float | None = None
    reward_range: tuple[float, float] | None = None
    reward_law: Any = "deterministic"

    def build(self, reward_range: tuple[float, float] | None = None) -> Named:
        """The model.

        Args:
            reward_range: limits of the rewards, which go before those of the file.

        Raises:
            UsageError: naming the file, the state, the action and the number at fault.
        """
        self._end_at_terminal()
        mask = self._terminal()
        start = np.eye(len(self.states))[0] if self.initial is None else self.initial
        self._check(mask)
        self._check_start(start, mask)
        try:
            table = listed.read(
                self.entries,
                start,
                keep_unreachable=True,
                reward_range=reward_range or self.reward_range or self._found_range(mask),
                reward_law=self.reward_law,
                terminal=mask,
                acting=listed.busy(self.entries),
            )
        except ModelError as error:
            raise UsageError(f"{self.file}: {error}") from error
        twins = [f"{self.states[s]}#end" for s in table.twins]
        return Named(
            mdp=table.mdp,
            states=(*self.states, *twins),
            actions=tuple(self.actions),
            discount=self.discount,
        )

    def _end_at_terminal(self) -> None:
        """Let every transition into a state that the file calls terminal be an end."""
        for s, row in enumerate(self.entries):
            for a, here in enumerate(row):
                ended = [(p, to, r, end or to in self.terminal) for p, to, r, end in here]
                row[a] = [] if s in self.terminal else ended

    def _check_start(self, start: FloatArray, terminal: npt.NDArray[np.bool_]) -> None:
        """Refuse episodes that begin where none goes on."""
        ended = np.flatnonzero((start > 0.0) & terminal)
        if ended.size:
            name = self.states[int(ended[0])]
            said = "calls it terminal" if ended[0] in self.terminal else "says nothing else of it"
            how = "" if self.initial is not None else ", the first one, as no other is said to be"
            raise UsageError(
                f"{self.file}: episodes begin in state {name}{how}, and the file {said}; expected "
                "`initial` to name states with transitions (numbers of states count from 0)"
            )

    def _terminal(self) -> npt.NDArray[np.bool_]:
        """Those called so, and those of which nothing is said and that are only entered as ends."""
        passed = {e[1] for row in self.entries for here in row for e in here if not e[3]}
        mask = np.zeros(len(self.states), dtype=np.bool_)
        for s, row in enumerate(self.entries):
            mask[s] = s in self.terminal or (not any(row) and s not in passed)
        return mask

    def _check(self, terminal: npt.NDArray[np.bool_]) -> None:
        """Refuse a pair without transitions, or one whose probabilities do not sum to one."""
        for s, row in enumerate(self.entries):
            for a, here in enumerate(row):
                if terminal[s]:
                    continue
                if not here:
                    raise UsageError(
                        f"{self.file}: state {self.states[s]} has no transition for action "
                        f"{self.actions[a]}; expected one for each action of each state that is "
                        "not terminal"
                    )
                total = sum(entry[0] for entry in here)
                if not abs(total - 1.0) <= ROUNDING:
                    raise UsageError(
                        f"{self.file}: the probabilities of state {self.states[s]}, action "
                        f"{self.actions[a]} sum to {total:.10g}; expected 1"
                    )

    def _found_range(self, terminal: npt.NDArray[np.bool_]) -> tuple[float, float]:
        paid = np.array(
            [e[2] for s, row in enumerate(self.entries) if not terminal[s] for h in row for e in h]
        )
        inside = paid.size == 0 or (paid.min() >= 0.0 and paid.max() <= 1.0)
        return (0.0, 1.0) if inside else listed.found_range(paid)


def empty_entries(n_states: int, n_actions: int) -> listed.Rows:
    """Room for the transitions of every pair."""
    return [[[] for _ in range(n_actions)] for _ in range(n_states)]

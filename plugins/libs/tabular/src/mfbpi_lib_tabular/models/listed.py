"""A tabular model from lists of what may follow each pair, ends of episodes marked at transitions.

``entries[state][action]`` lists ``(probability, next state, reward, terminated)``, as Gymnasium's
toy texts do in ``P`` and tables of transitions do in files. A state that is only entered
*terminated* is terminal. One that is also entered otherwise, or where episodes begin, lives on,
and gets a twin behind all states: terminal, it stands for the ends there. A terminal state is worth
0, and what the list says about its actions does not matter: toy texts go on from their goals. A
caller whose list means it names such states, which then live on too, with twins for their ends.

States that no walk from the start reaches are seen by nobody. They are kept, or closed: terminal
too, so that no policy is judged by what it would do there. Their numbers remain.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import BoolArray
from mfbpi_core.data.mdp import RewardLaw
from mfbpi_core.errors import ModelError

#: Rows of K entries that miss one by no more than (4 + K) times this sum to one.
EPS = float(np.finfo(np.float64).eps)

#: (probability, next state, reward, terminated)
Entry = tuple[float, int, float, bool]

#: [S][A] lists of entries.
Rows = list[list[list[Entry]]]


@attrs.frozen(kw_only=True, eq=False)
class Table:
    """A model, and which of its states stand for ends in others.

    Attributes:
        mdp: the model.
        twins: int64 [S - n], the states whose ends the last states stand for.
    """

    mdp: TabularMDP
    twins: npt.NDArray[np.int64]


def read(
    entries: Rows,
    initial: npt.NDArray[np.float64],
    *,
    keep_unreachable: bool,
    reward_range: tuple[float, float] | None,
    scale: float = 1.0,
    reward_law: RewardLaw = "deterministic",
    terminal: BoolArray | None = None,
    acting: BoolArray | None = None,
) -> Table:
    """Make a model.

    Args:
        entries: lists of (probability, next state, reward, terminated) of each pair.
        initial: [S], where episodes begin.
        keep_unreachable: whether states that nothing reaches are left as they are.
        reward_range: limits of the scaled rewards; None for those of the rewards found.
        scale: what rewards are multiplied by.
        reward_law: see :class:`mfbpi_core.TabularMDP`.
        terminal: states that are ends, whether or not anything leads to them.
        acting: states that live on, even if they are only entered as ends; with
            ``keep_unreachable``.

    Raises:
        ModelError: naming state, action and number.
    """
    merged = [
        [merged_entries(here, s, a) for a, here in enumerate(row)] for s, row in enumerate(entries)
    ]
    walked = live = _closure(merged, initial > 0.0)
    if keep_unreachable:
        everywhere = np.ones(len(merged), dtype=np.bool_)
        known = np.zeros_like(walked) if terminal is None else terminal
        meant = np.zeros_like(walked) if acting is None else acting
        live = _closure(merged, walked | meant | ~(_ended_by(merged, everywhere) | known))
    doubled = np.flatnonzero(live & _ended_by(merged, live))
    twins = {int(s): len(merged) + i for i, s in enumerate(doubled)}
    n_states, n_actions = len(merged) + len(twins), len(merged[0])
    width = max((len(here) for row in merged for here in row), default=1)
    successors = np.zeros((n_states, n_actions, width), dtype=np.int64)
    probabilities = np.zeros((n_states, n_actions, width))  # P[s, a, slot]
    rewards = np.zeros((n_states, n_actions, width))
    for s in np.flatnonzero(live):
        for a, here in enumerate(merged[s]):
            for slot, (probability, following, reward, terminated) in enumerate(here):
                target = twins.get(following, following) if terminated else following
                successors[s, a, slot] = target
                probabilities[s, a, slot] = probability
                rewards[s, a, slot] = reward * scale
    terminal = np.concatenate([~live, np.ones(len(twins), dtype=np.bool_)])
    limits = reward_range or found_range(rewards[probabilities > 0.0])
    rewards[probabilities == 0.0] = limits[0]
    mdp = TabularMDP.from_successors(
        successors,
        probabilities,
        np.where(terminal[:, None, None], 0.0, rewards),
        initial=np.concatenate([initial, np.zeros(len(twins))]),
        terminal=terminal,
        reward_law=reward_law,
        reward_range=limits,
    )
    return Table(mdp=_as_given(mdp, probabilities, initial), twins=doubled)


def _as_given(
    mdp: TabularMDP, probabilities: npt.NDArray[np.float64], initial: npt.NDArray[np.float64]
) -> TabularMDP:
    """The model with the very numbers of rows that sum to one, which a division would round again.

    What was written to a file by a model is thus read as that model.
    """
    room = (4.0 + probabilities.shape[2]) * EPS
    exact = np.abs(probabilities.sum(axis=2) - 1.0) <= room  # [S, A]
    exact &= ~mdp.terminal[:, None]
    kept = np.where(exact[:, :, None], probabilities, mdp.probabilities)
    start = np.zeros(mdp.n_states)
    start[: len(initial)] = initial
    start = start if abs(start.sum() - 1.0) <= (4.0 + start.size) * EPS else mdp.initial
    mean = np.einsum("sak,sak->sa", kept, mdp.rewards)
    for array in (kept, start, mean):
        array.flags.writeable = False
    return attrs.evolve(mdp, probabilities=kept, initial=start, mean_rewards=mean)


def found_range(paid: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The lowest and the highest of some rewards; with 0 or 1 where there is only one."""
    low, high = (float(paid.min()), float(paid.max())) if paid.size else (0.0, 0.0)
    if low < high:
        return low, high
    return (min(low, 0.0), max(low, 0.0)) if low else (0.0, 1.0)


def merged_entries(here: list[Entry], s: int, a: int) -> list[Entry]:
    """Entries that say the same as one, in the order of their first; those without weight left out.

    Raises:
        ModelError: for probabilities that are none.
    """
    found: dict[tuple[int, float, bool], float] = {}
    for probability, following, reward, terminated in here:
        if not probability >= 0.0:
            raise ModelError(
                f"[{s}][{a}] has the probability {probability!r}; expected 0 to 1, finite"
            )
        if probability > 0.0:
            key = (following, reward, terminated)
            found[key] = found.get(key, 0.0) + probability
    return [(probability, *key) for key, probability in found.items()]


def busy(entries: Rows) -> BoolArray:
    """Which states do more than stay where they are for nothing, whatever is done there."""
    moves = [
        any(e[0] > 0.0 and (e[1] != s or e[2] != 0.0) for here in row for e in here)
        for s, row in enumerate(entries)
    ]
    return np.array(moves, dtype=np.bool_)


def _ended_by(merged: Rows, acting: BoolArray) -> BoolArray:
    """Which states are entered, as an end, from states in which decisions are taken."""
    mask = np.zeros(len(merged), dtype=np.bool_)
    for s in np.flatnonzero(acting):
        for here in merged[s]:
            mask[[following for _, following, _, terminated in here if terminated]] = True
    return mask


def _closure(merged: Rows, acting: BoolArray) -> BoolArray:
    """These states, and what is entered from them without an end."""
    acting = acting.copy()
    pending = [int(s) for s in np.flatnonzero(acting)]
    while pending:
        for here in merged[pending.pop()]:
            for _, following, _, terminated in here:
                if not terminated and not acting[following]:
                    acting[following] = True
                    pending.append(following)
    return acting

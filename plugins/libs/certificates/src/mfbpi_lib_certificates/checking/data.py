"""Counts: that they can be those of a walk, whatever the walk was."""

from __future__ import annotations

import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, Certificate, IntArray
from mfbpi_lib_certificates.checking.fields import LARGEST_COUNT
from mfbpi_lib_certificates.report import RefusedError

#: Sums of rewards may leave [low n, high n] by this much, relatively: rounding.
ROUNDING = 1e-9


def check_counts(c: Certificate) -> str:
    """Rows are in order, outcomes exist, and all visits make up the steps.

    Raises:
        RefusedError: otherwise.
    """
    widths = np.diff(c.row_starts)
    if c.row_starts[0] != 0 or (widths < 0).any():
        raise RefusedError("`row_starts` do not increase from 0")
    if (c.outcomes >= c.n_outcomes).any() or (c.counts < 1).any():
        raise RefusedError("an outcome that does not exist, or a count below 1")
    inside = np.diff(c.rows) == 0
    if (np.diff(c.outcomes)[inside] <= 0).any():
        raise RefusedError("the outcomes of a pair do not increase")
    total = sum(int(each) for each in c.counts)  # whole numbers of any size
    if total != c.steps or total > LARGEST_COUNT:
        raise RefusedError(f"counts sum to {total}; expected the number of steps, {c.steps}")
    if (c.policy >= c.n_actions).any():
        raise RefusedError("the policy chooses an action that does not exist")
    return f"{c.steps} steps, {c.n_pairs} pairs, {len(c.counts)} transitions"


def check_rewards(c: Certificate) -> str:
    """Sums of rewards lie in what the visits and the range allow.

    Raises:
        RefusedError: otherwise.
    """
    low, high = c.reward_range
    visits = c.visits.reshape(c.n_states, c.n_actions)
    room = ROUNDING * max(abs(low), abs(high)) * visits
    sums = c.rewards
    if not ((sums >= low * visits - room).all() and (sums <= high * visits + room).all()):
        raise RefusedError(f"a sum of rewards that rewards in [{low:g}, {high:g}] cannot have")
    if c.known_rewards is not None:
        paid = np.zeros(c.n_pairs)
        np.add.at(paid, c.rows, c.known_rewards * c.counts)
        wide = ROUNDING * max(abs(low), abs(high))
        inside = (c.known_rewards >= low - wide) & (c.known_rewards <= high + wide)
        if not (inside.all() and (np.abs(paid - sums.reshape(-1)) <= room.reshape(-1)).all()):
            raise RefusedError("known rewards do not make up the sums, or leave the range")
    return f"within [{low:g}, {high:g}] per visit"


def check_flow(c: Certificate) -> str:
    """Each state is entered and left as often as a walk with these beginnings can.

    Raises:
        RefusedError: otherwise.
    """
    left = c.visits.reshape(c.n_states, c.n_actions).sum(axis=1)
    entered = np.zeros(c.n_outcomes, dtype=np.int64)
    np.add.at(entered, c.outcomes, c.counts)
    ended: IntArray = c.start + entered[: c.n_states] - left  # how often a walk ended there
    if (left[c.terminal] > 0).any():
        raise RefusedError("a terminal state was left")
    if (ended < 0).any():
        state = int(np.argmin(ended))
        raise RefusedError(f"state {state} was left {-int(ended[state])} times more than entered")
    if c.steps > 0 and not c.start.any():
        raise RefusedError("no walk began")
    if sum(int(each) for each in ended[~c.terminal]) > c.cuts + 1:  # and the walk that goes on
        raise RefusedError(f"more than {c.cuts} walks, and the last, ended nowhere")
    lost = np.flatnonzero((left > 0) & ~_reached(c))
    if len(lost):
        raise RefusedError(f"no walk that began where they did can reach state {int(lost[0])}")
    return f"{sum(int(each) for each in c.start)} walks"


def _reached(c: Certificate) -> BoolArray:
    """States that the transitions counted lead to from where walks began, bool [S]."""
    sources, inside = c.rows // c.n_actions, c.outcomes < c.n_states
    sources, targets = sources[inside], c.outcomes[inside]
    reached = c.start > 0
    while True:
        grown = reached.copy()
        grown[targets[reached[sources]]] = True
        if (grown == reached).all():
            return reached
        reached = grown

"""What had been counted at the checks at which bets were made, and whether it can have been.

An epoch opens at a check of a fixed grid, and its stakes are planned anew at each later one: which
checks these are follows from S, A and the number of the epoch, so that nothing can be chosen
afterwards. Counts of earlier checks are kept at the places of the present ones.
"""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_lib_certificates.certificate import Certificate, FloatArray, IntArray
from mfbpi_lib_certificates.checking.data import ROUNDING
from mfbpi_lib_certificates.checking.fields import array
from mfbpi_lib_certificates.report import RefusedError

#: The grid: first possible opening, in steps for each pair, and its growth.
FIRST, GRID = 100, 1.6

#: The schedule of checks: the first one at the latest, and its growth.
FIRST_CHECK, NUMERATOR, DENOMINATOR = 100, 21, 20


@attrs.frozen(kw_only=True, eq=False)
class History:
    """Counts at the opening of an epoch, at each later check of the grid, and now.

    Attributes:
        number: j, that of the epoch in the grid.
        counts: float64 [T + 1, E], how often each entry had been seen; the last ones are now.
        rewards: float64 [T + 1, E], sums of its rewards.
    """

    number: int
    counts: FloatArray
    rewards: FloatArray

    def since(self, number: int) -> History:
        """The same from a later opening on."""
        skipped = number - self.number
        return History(number=number, counts=self.counts[skipped:], rewards=self.rewards[skipped:])

    @property
    def periods(self) -> int:
        """T: how often stakes were planned."""
        return len(self.counts) - 1


def grid(n_states: int, n_actions: int, below: int) -> list[int]:
    """Steps of the grid, below a step."""
    check, wanted = max(FIRST_CHECK, n_states * n_actions), FIRST * n_states * n_actions
    found = []
    while check < below:
        if check >= wanted:
            found.append(check)
            wanted = math.ceil(GRID * check)
        check = max(check + 1, check * NUMERATOR // DENOMINATOR)
    return found


def read(c: Certificate) -> History:
    """The history that a certificate tells, if it can be one of its counts.

    Raises:
        RefusedError: otherwise.
    """
    if c.known_rewards is not None:
        raise RefusedError("bets are on rewards of any law")
    steps = grid(c.n_states, c.n_actions, c.steps)
    number = numbers(c)[0]
    if number > len(steps):
        raise RefusedError(f"no epoch had the number {number}; {len(steps)} may have opened")
    expected = steps[number - 1 :]
    shape = (len(expected), len(c.counts))
    before = whole_numbers(c.witnesses.get("counts_then"), "counts_then", shape)
    paid = array(c.witnesses.get("rewards_then"), "rewards_then", shape)
    now = array(c.witnesses.get("entry_rewards"), "entry_rewards", shape[1:])
    counts = np.vstack([before, c.counts])
    if (np.diff(counts, axis=0) < 0).any():
        raise RefusedError("`counts_then` do not grow")
    if [int(each) for each in before.sum(axis=1)] != expected:
        raise RefusedError("`counts_then` are not those of the checks at which bets are made")
    rewards = np.vstack([paid, now])
    _check_rewards(c, counts.astype(np.float64), rewards)
    _check_walks(c, before)
    return History(number=number, counts=counts.astype(np.float64), rewards=rewards)


def numbers(c: Certificate) -> list[int]:
    """Numbers of the epochs on which a certificate rests, which increase from 1 or more.

    Raises:
        RefusedError: when they do not.
    """
    given = c.witnesses.get("epochs")
    length = len(given) if isinstance(given, list) or _is_row(given) else 1
    found = array(given, "epochs", (length,))
    if not (len(found) and (np.diff(found, prepend=0.0) >= 1.0).all()):
        raise RefusedError("`epochs` do not increase from 1 or more")
    if not (found == np.floor(found)).all():
        raise RefusedError("`epochs` are not whole numbers")
    return [int(each) for each in found]


def _is_row(given: object) -> TypeGuard[npt.NDArray[Any]]:
    return isinstance(given, np.ndarray) and given.ndim == 1


def whole_numbers(value: object, name: str, shape: tuple[int, ...]) -> IntArray:
    """Whole numbers of 0 or more.

    Raises:
        RefusedError: when they are anything else.
    """
    found = array(value, name, shape)
    if not ((found >= 0.0) & (found == np.floor(found)) & (found <= 2.0**53)).all():
        raise RefusedError(f"`{name}` are not whole numbers from 0 to 2^53")
    return found.astype(np.int64)


def _check_rewards(c: Certificate, counts: FloatArray, rewards: FloatArray) -> None:
    """Sums of each period lie in what its visits and the range allow, and make up the present."""
    low, high = c.reward_range
    visits = np.diff(counts, axis=0, prepend=0.0)
    paid = np.diff(rewards, axis=0, prepend=0.0)
    room = ROUNDING * max(abs(low), abs(high)) * np.maximum(counts, 1.0)
    if not ((paid >= low * visits - room).all() and (paid <= high * visits + room).all()):
        raise RefusedError(f"rewards of a period that rewards in [{low:g}, {high:g}] cannot have")
    sums = np.zeros(c.n_pairs)
    np.add.at(sums, c.rows, rewards[-1])
    off = np.abs(sums - c.rewards.reshape(-1))
    if not (off <= ROUNDING * max(abs(low), abs(high)) * np.maximum(c.visits, 1.0)).all():
        raise RefusedError("`entry_rewards` do not make up the sums of rewards")


def _check_walks(c: Certificate, before: IntArray) -> None:
    """No state had been left more often than entered, by walks that began where they did."""
    states, inside = c.rows // c.n_actions, c.outcomes < c.n_states
    for counts in before:
        left = np.bincount(states, weights=counts, minlength=c.n_states)
        entered = np.bincount(c.outcomes[inside], weights=counts[inside], minlength=c.n_states)
        if (left > entered + c.start).any():
            state = int(np.argmax(left - entered - c.start))
            raise RefusedError(f"state {state} had been left more often than entered")

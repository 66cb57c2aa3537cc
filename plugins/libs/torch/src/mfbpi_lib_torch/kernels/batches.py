"""From a replay buffer to a batch: what each transition is, and which inputs are different."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.parts import Batch, Booleans, Floats, Integers


class Stored(NamedTuple):
    """Columns of a replay buffer, apart from inputs and masks, and the discount.

    Attributes:
        actions, rewards, terminated: [capacity].
        discount: gamma.
    """

    actions: Integers
    rewards: Floats
    terminated: Booleans
    discount: np.float32


@compiled
def _gather(stored: Stored, places: Integers, to: Batch) -> None:
    """Copy what was stored at some places, apart from inputs and masks."""
    for i in range(places.size):
        place = places[i]
        to.actions[i] = stored.actions[place]
        to.rewards[i] = stored.rewards[place]
        to.discounts[i] = 0.0 if stored.terminated[place] else stored.discount


@compiled
def gather_mask(stored: Booleans, places: Integers, to: Booleans) -> None:
    """From masks [capacity, B], stored with transitions, to [B, n]."""
    for i in range(places.size):
        for b in range(to.shape[0]):
            to[b, i] = stored[places[i], b]


@compiled
def gather_features(
    stored: Stored, now: Floats, following: Floats, places: Integers, to: Batch
) -> None:
    """Copy a batch with features [capacity, inputs]: each s and each s' is a site of its own."""
    _gather(stored, places, to)
    n = places.size
    to.counts[0], to.counts[1] = 2 * n, n
    for i in range(n):
        to.x[i] = now[places[i]]
        to.x[n + i] = following[places[i]]
        to.now[i] = i
        to.following[i] = n + i
        to.follows[i] = False
        to.follows[n + i] = to.discounts[i] > 0.0


@compiled
def gather_cells(
    stored: Stored,
    now: Integers,
    following: Integers,
    places: Integers,
    site: Integers,
    to: Batch,
) -> None:
    """Copy a batch with cells [capacity]: the different ones of s, then those of s' that are no s.

    Args:
        stored: all but the cells.
        now: cells of s.
        following: cells of s'.
        places: which transitions.
        site: int64 [cells], all -1, as they are left.
        to: written.
    """
    _gather(stored, places, to)
    n_learning = _number(now, places, site, 0, to.now, to.cells)
    n_sites = _number(following, places, site, n_learning, to.following, to.cells)
    to.counts[0], to.counts[1] = n_sites, n_learning
    for s in range(n_sites):
        site[to.cells[s]] = -1
        to.follows[s] = False
    for i in range(places.size):
        if to.discounts[i] > 0.0:
            to.follows[to.following[i]] = True


@compiled
def _number(
    stored: Integers, places: Integers, site: Integers, count: int, to: Integers, cells: Integers
) -> int:
    """Write the sites of the cells at some places; a new cell is a new site."""
    for i in range(places.size):
        cell = stored[places[i]]
        if site[cell] < 0:
            site[cell] = count
            cells[count] = cell
            count += 1
        to[i] = site[cell]
    return count


@compiled
def gather_prior(values: Floats, rows: Integers, count: int, start: int, to: Floats) -> None:
    """Copy rows of values [rows, B * A] to those of ``count`` sites from ``start``."""
    for i in range(count):
        row = rows[i]
        for n in range(to.shape[1]):
            to[start + i, n] = values[row, n]

"""From a replay buffer to a batch: what each transition is, and which inputs are different.

Generators are held as arrays are, and drawn from as numpy does, number by number: asked from
outside, they take as long as all the rest, for an update leaves little of Python in the caches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.held import Held
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


class Source(NamedTuple):
    """What a batch is drawn from, and the batch.

    Attributes:
        stored: all but the inputs.
        now, following: columns of s and s': cells [capacity], or features [capacity, inputs].
        site: int64 [cells], all -1, as they are left; of no use with features.
        rng: the generator that samples.
        places: int64 [n], written: where the transitions of the batch are.
        batch: written.
    """

    stored: Stored
    now: Integers | Floats
    following: Integers | Floats
    site: Integers
    rng: np.random.Generator
    places: Integers
    batch: Batch


class Masks(NamedTuple):
    """Masks that are drawn for each batch.

    Attributes:
        rng: a generator.
        mask: [B, n], written.
    """

    rng: np.random.Generator
    mask: Booleans


class PriorTable(NamedTuple):
    """A prior for cells.

    Attributes:
        values: [cells, B * A].
        batch: its sites have cells.
        part: place in ``batch.counts``: 0 where all sites have values, 1 where those that learn do.
        to: [sites, B * A], written.
    """

    values: Floats
    batch: Batch
    part: int
    to: Floats


class PriorColumns(NamedTuple):
    """A prior for features: values as they were stored.

    Attributes:
        now, following: [capacity, B * A], at s and s'; the latter without rows where not needed.
        places: int64 [n], of the batch.
        to: [sites, B * A], written.
    """

    now: Floats
    following: Floats
    places: Integers
    to: Floats


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
def draw_mask(masks: Held, probability: float) -> None:
    """Draw what is held :class:`Masks`, each true with the probability."""
    rng, mask = masks.content
    least = np.float32(probability)
    for b in range(mask.shape[0]):
        drawn = rng.random(mask.shape[1], dtype=np.float32)
        for i in range(drawn.size):
            mask[b, i] = drawn[i] < least


@compiled
def gather_features(source: Held, count: int) -> None:
    """Draw from ``count`` transitions with features: each s and each s' is a site of its own."""
    stored, now, following, _, rng, places, to = source.content
    n = places.size
    places[:] = rng.integers(0, count, n)
    _gather(stored, places, to)
    to.counts[0], to.counts[1] = 2 * n, n
    for i in range(n):
        to.x[i] = now[places[i]]
        to.x[n + i] = following[places[i]]
        to.now[i] = i
        to.following[i] = n + i
        to.follows[i] = False
        to.follows[n + i] = to.discounts[i] > 0.0


@compiled
def gather_cells(source: Held, count: int) -> None:
    """Draw from ``count`` with cells: the different ones of s, then those of s' that are no s."""
    stored, now, following, site, rng, places, to = source.content
    places[:] = rng.integers(0, count, places.size)
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
def gather_prior_of_cells(prior: Held) -> None:
    """Copy values of a held :class:`PriorTable` to the sites of a batch."""
    values, batch, part, to = prior.content
    _copy_rows(values, batch.cells, batch.counts[part], 0, to)


@compiled
def gather_prior_of_features(prior: Held) -> None:
    """Copy values of a held :class:`PriorColumns` to the sites of a batch."""
    now, following, places, to = prior.content
    _copy_rows(now, places, places.size, 0, to)
    if following.shape[0] > 0:
        _copy_rows(following, places, places.size, places.size, to)


@compiled
def _copy_rows(values: Floats, rows: Integers, count: int, start: int, to: Floats) -> None:
    """Copy rows of values [rows, B * A] to those of ``count`` sites from ``start``."""
    for i in range(count):
        row = rows[i]
        for n in range(to.shape[1]):
            to[start + i, n] = values[row, n]

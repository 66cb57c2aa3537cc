"""What a generator of numpy spawns others from, in a saved state: seeds, and how many it has made.

numpy's states leave it out, so that an agent which spawns generators as it goes would see other
numbers after a resume.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mfbpi_core.data import exact

#: How many numbers seeds are mixed into: from numpy's least and default to more than anyone asks.
_POOLS = range(4, 2**16)


def saved(bits: np.random.BitGenerator) -> dict[str, Any]:
    """The sequence of seeds of a bit generator; nothing where it is not numpy's own."""
    sequence: Any = bits.seed_seq
    if type(sequence) is not np.random.SeedSequence:
        return {}
    return {key: _read(value) for key, value in sequence.state.items()}


def restored(seeds: Any) -> np.random.SeedSequence | None:
    """The sequence again; nothing, from which numpy makes one of its own, if it was not saved.

    Raises:
        Exception: of whatever kind, when it is none.
    """
    if seeds is None:
        return None
    numbers: dict[str, Any] = {key: _whole(value) for key, value in seeds.items()}
    if numbers["pool_size"] not in _POOLS:
        raise ValueError(f"a pool of {numbers['pool_size']} seeds")
    return np.random.SeedSequence(**{**numbers, "spawn_key": tuple(numbers["spawn_key"])})


def _read(numbers: Any) -> int | list[Any]:
    """Seeds as numpy reads them, which takes texts and truth values where they are in a list."""
    if isinstance(numbers, str):
        return int(numbers, 16 if numbers.startswith("0x") else 10)
    if not isinstance(numbers, np.ndarray) and hasattr(numbers, "__index__"):
        return int(numbers)
    return [_read(each) for each in numbers]


def _whole(numbers: Any) -> int | list[Any]:
    """Nothing but whole numbers, and lists of them: numpy would cut off a fraction."""
    if isinstance(numbers, list | tuple):
        return [_whole(each) for each in numbers]
    found = exact.whole(numbers)
    if found is None:
        raise ValueError(f"a seed is {numbers!r:.40}")
    return found

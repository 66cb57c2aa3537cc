"""The last measurement of each run: what is averaged, listed and drawn as its end."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def latest(rows: Iterable[tuple[Key, int, Value]]) -> dict[Key, tuple[int, Value]]:
    """The largest step of each key and its value, in the order in which keys appear.

    Args:
        rows: keys, steps and values, in any order; of one step the later row counts.

    >>> latest([("a", 0, 0.25), ("b", 5, 0.75), ("a", 9, 0.5), ("a", 3, 1.0)])
    {'a': (9, 0.5), 'b': (5, 0.75)}
    """
    found: dict[Key, tuple[int, Value]] = {}
    for key, step, value in rows:
        if key not in found or step >= found[key][0]:
            found[key] = (step, value)
    return found

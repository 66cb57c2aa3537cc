"""Values that are plain: numbers, texts, and collections of nothing else.

Tables of transitions are such: a million values, quickly written down.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Container
from typing import Any

from mfbpi.plan.parts import parts

#: Values that their text tells all of.
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))

#: Those of them that can be written down as they are, many at once.
_TEXTS = frozenset(PLAIN) - {type(NotImplemented)}

#: Collections that can be written down with what they hold.
COLLECTIONS = frozenset({list, tuple, dict})

#: Parts of an element of a set by which it finds its place.
_MOST_OF_AN_ELEMENT = 100


def text(value: Any) -> str:
    """A plain value; integers in a way that has no limit."""
    told = format(value, "x") if type(value) is int else repr(value)
    return f"{type(value).__name__} {told}"


def is_flat(value: Any) -> bool:
    """Whether it is a tuple or frozenset of plain values alone."""
    return type(value) in (tuple, frozenset) and all(type(each) in PLAIN for each in value)


def place(value: Any) -> tuple[str, ...]:
    """By what an element of a set finds its place: its type, and what it has of plain values."""
    try:
        told = tuple(itertools.islice(parts(value), _MOST_OF_AN_ELEMENT))
    except Exception:  # it is noted when it is told
        told = ()
    named = (getattr(value, name, "") for name in ("__module__", "__qualname__"))
    texts = (text(each) if type(each) in PLAIN else _texts(each) for each in told)
    return (type(value).__qualname__, *map(str, named), *texts)


def _texts(value: Any) -> str:
    """What a collection has of plain values; of anything else, its type."""
    if type(value) not in COLLECTIONS:
        return type(value).__qualname__
    held = itertools.islice(value, _MOST_OF_AN_ELEMENT)
    return " ".join(text(each) for each in held if type(each) in PLAIN)


def is_plain(value: Any, within: dict[int, Any], seen: Container[int]) -> bool:
    """Whether collections hold plain values alone, each collection once.

    Args:
        value: the outermost.
        within: becomes those that were looked at, by their ids.
        seen: ids of those that are told already.
    """
    left = deque([value])
    while left:
        each = left.popleft()
        kind = type(each)
        if kind in _TEXTS:
            continue
        if kind not in COLLECTIONS:
            return False
        held = (*each, *each.values()) if kind is dict else each
        kinds = set(map(type, held))
        if not kinds <= _TEXTS | COLLECTIONS:
            return False
        flat = kinds <= _TEXTS
        if flat and kind is tuple and each is not value:
            continue
        if id(each) in within or (each is not value and id(each) in seen):
            return False
        within[id(each)] = each
        if not flat:
            left.extend(held)
    return True

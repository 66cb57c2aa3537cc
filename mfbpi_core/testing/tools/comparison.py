"""Exact comparison of states and trajectories, with the place of the first difference."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.testing.outcomes import require

#: Objects that are being compared further up, by identity, so that cycles end.
_Seen = frozenset[tuple[int, int]]


def require_equal(left: object, right: object, what: str) -> None:
    """Raise :class:`CheckFailure` that starts with ``what`` and names the first difference."""
    found = difference(left, right)
    require(found is None, f"{what}: {found}")


def difference(left: object, right: object) -> str | None:
    """The first place where two values differ, or None where they are equal to the bit.

    Looks into mappings, sequences, numpy arrays, torch tensors, generators and plain objects.
    NaN equals NaN.
    """
    return _difference(left, right, "", frozenset())


def _difference(left: Any, right: Any, place: str, seen: _Seen) -> str | None:
    pair = (id(left), id(right))
    if left is right or pair in seen:
        return None
    if type(left) is not type(right):
        return _report(place, type(left).__name__, type(right).__name__)
    for applies, view in _VIEWS:
        if applies(left):
            return _difference(view(left), view(right), place, seen | {pair})
    seen |= {pair}
    if isinstance(left, np.ndarray):
        return _array_difference(left, right, place)
    if isinstance(left, Mapping):
        return _mapping_difference(left, right, place, seen)
    if isinstance(left, Sequence) and not isinstance(left, str | bytes):
        return _sequence_difference(left, right, place, seen)
    return _scalar_difference(left, right, place)


def _array_difference(left: Array, right: Array, place: str) -> str | None:
    if left.dtype != right.dtype or left.shape != right.shape:
        shapes = (f"{array.dtype} of shape {array.shape}" for array in (left, right))
        return _report(place, *shapes)
    if left.dtype == object:
        return _difference(left.tolist(), right.tolist(), place, frozenset())
    inexact = np.issubdtype(left.dtype, np.inexact)
    if np.array_equal(left, right, equal_nan=bool(inexact)):
        return None
    different = left != right
    if inexact:
        different &= ~(np.isnan(left) & np.isnan(right))
    index = tuple(int(i) for i in np.argwhere(different)[0])
    return _report(f"{place}{list(index)}", left[index], right[index])


def _mapping_difference(
    left: Mapping[object, object], right: Mapping[object, object], place: str, seen: _Seen
) -> str | None:
    if left.keys() != right.keys():
        return _report(f"keys of {place or 'it'}", sorted(map(str, left)), sorted(map(str, right)))
    found = (_difference(left[key], right[key], f"{place}.{key}", seen) for key in left)
    return next((place for place in found if place is not None), None)


def _sequence_difference(
    left: Sequence[object], right: Sequence[object], place: str, seen: _Seen
) -> str | None:
    if len(left) != len(right):
        return _report(f"length of {place or 'it'}", len(left), len(right))
    pairs = enumerate(zip(left, right, strict=True))
    found = (_difference(a, b, f"{place}[{i}]", seen) for i, (a, b) in pairs)
    return next((place for place in found if place is not None), None)


def _scalar_difference(left: Any, right: Any, place: str) -> str | None:
    nan = isinstance(left, float) and math.isnan(left) and math.isnan(right)
    return None if nan or bool(left == right) else _report(place, repr(left), repr(right))


def _report(place: str, left: object, right: object) -> str:
    return f"{place.lstrip('.') or 'it'} is {left} and {right}"


def _is_tensor(value: object) -> bool:
    """A torch tensor, told by what it can do: the core never imports torch."""
    return hasattr(value, "detach") and hasattr(value, "cpu")


def _tensor_array(value: Any) -> Array:
    array: Array = value.detach().cpu().numpy()
    return array


def _has_stream(value: object) -> bool:
    """A ``torch.Generator``, or what is like one."""
    return callable(getattr(value, "get_state", None)) and not isinstance(value, type)


def _is_plain_object(value: object) -> bool:
    known = isinstance(value, Mapping | Sequence | np.ndarray | type) or callable(value)
    return not known and hasattr(value, "__dict__")


def _slots(value: object) -> dict[str, object]:
    names = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    return {name: getattr(value, name) for name in sorted(names) if hasattr(value, name)}


def _has_slots(value: object) -> bool:
    """A slotted attrs class or dataclass, whose equality may be by identity."""
    declared = hasattr(value, "__attrs_attrs__") or hasattr(value, "__dataclass_fields__")
    return declared and not isinstance(value, type)


#: Kinds of object that are compared through a view of what they hold, the first that applies.
_VIEWS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (lambda value: isinstance(value, np.random.Generator), lambda rng: rng.bit_generator),
    (lambda value: isinstance(value, np.random.BitGenerator), lambda bits: bits.state),
    (_is_tensor, _tensor_array),
    (
        lambda value: isinstance(value, np.random.RandomState),
        lambda rng: rng.get_state(legacy=False),
    ),
    (_has_stream, lambda value: value.get_state()),
    (lambda value: isinstance(value, deque), list),
    (lambda value: isinstance(value, Transitions), Transitions.columns),
    (_has_slots, lambda value: {**_slots(value), **getattr(value, "__dict__", {})}),
    (_is_plain_object, vars),
)

"""What a checkpoint may hold: plain data and arrays, nothing that would be run when it is read.

A state is a tree of dictionaries, lists, tuples, numbers, texts and None; of numpy's arrays,
numbers and random generators; and of arrays of other libraries that convert themselves, such as
tensors, which come back as numpy's.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import (
    Numpys,
    check_class,
    generator,
    restore_generator,
    state_with_seeds,
)

T = TypeVar("T")

#: Leaves that are kept as they are; subclasses of them, which would come back as these, are not.
PLAIN: tuple[type, ...] = (type(None), bool, int, float, str)


def restored(tree: Any, where: str = "") -> Any:
    """A state as it comes back from a checkpoint, sharing nothing with it.

    Args:
        tree: the state.
        where: its place in a larger one, for messages.

    Raises:
        CheckpointError: naming the type that cannot be saved, and where it is.
    """
    if type(tree) in PLAIN:
        return tree
    if type(tree) in (list, tuple):
        items = (restored(item, f"{where}[{i}]") for i, item in enumerate(tree))
        return type(tree)(items)
    if isinstance(tree, dict):
        return {restored(k, where): restored(v, f"{where}.{k}") for k, v in tree.items()}
    if isinstance(tree, Numpys):
        return generator(state_with_seeds(tree, where))
    array = as_array(tree, where).copy()
    return array[()] if isinstance(tree, np.generic) else array


def copied(tree: T, where: str) -> T:
    """A deep copy of what an object holds, which may be more than a checkpoint can.

    Args:
        tree: the state.
        where: the class of the object, for messages.

    Raises:
        CheckpointError: when it has a generator of a class of its own, naming it and its place:
            numpy copies it as one of numpy's, so that nobody could tell from the copy.
    """
    _check_generators(tree, where, set())
    return copy.deepcopy(tree)


#: What may hold a generator, or is one.
_LOOKED_AT = (dict, list, tuple, np.random.Generator, np.random.RandomState)


def _check_generators(tree: Any, where: str, seen: set[int]) -> None:
    """Look at each container once: some hold themselves."""
    if isinstance(tree, Numpys):
        check_class(tree, where)
    elif isinstance(tree, dict | list | tuple) and id(tree) not in seen:
        seen.add(id(tree))
        place = "{}[{}]"
        parts: Iterable[tuple[Any, Any]] = enumerate(tree)
        if isinstance(tree, dict):
            place, parts = "{}.{}", tree.items()
        for key, value in parts:
            if isinstance(value, _LOOKED_AT):
                _check_generators(value, place.format(where, key), seen)


def take_over(own: dict[str, Any], state: dict[str, Any]) -> None:
    """Replace attributes by saved ones; generators stay where they are, for others draw from them.

    A file tells two attributes with one generator as two. Where they no longer were one, each has
    its own afterwards.

    Args:
        own: the attributes of an object.
        state: those of one like it, neither kept nor changed.

    Raises:
        CheckpointError: when a generator of the object is of a class of its own.
    """
    standing: dict[int, tuple[Numpys, Any]] = {}
    instead: dict[int, Any] = {}  # what stands for a saved generator, wherever that is held
    for mine, saved in _pairs(own, state, set()):
        stands = state_with_seeds(saved, "")
        _, first = standing.setdefault(id(mine), (mine, stands))
        if repr(first) == repr(stands):
            instead[id(saved)] = mine
    for mine, stands in standing.values():
        if isinstance(mine, np.random.RandomState):  # which may draw from another's bits
            mine.set_state(stands)
        else:
            restore_generator(mine, stands)
    own.update(copy.deepcopy(state, instead))


def _pairs(mine: Any, saved: Any, seen: set[int]) -> Iterator[tuple[Any, Any]]:
    """Generators at the same places that make their bits alike; some containers hold themselves."""
    if type(mine) is not type(saved) or id(saved) in seen:
        return
    if isinstance(saved, Numpys):
        bits = [getattr(each, "_bit_generator", None) for each in (mine, saved)]
        if type(bits[0]) is type(bits[1]):
            yield mine, saved
    elif type(saved) in (dict, list, tuple):
        seen.add(id(saved))
        both: Iterable[tuple[Any, Any]] = zip(mine, saved, strict=False)  # a list may have grown
        if type(saved) is dict:
            both = [(mine[key], value) for key, value in saved.items() if key in mine]
        for pair in both:
            yield from _pairs(*pair, seen)


def as_array(value: object, where: str) -> Array:
    """An array or number of numpy, or what converts itself; else :class:`CheckpointError`."""
    convertible = isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__")
    array = np.asarray(value) if convertible else np.array(None)
    if array.dtype.hasobject:
        raise CheckpointError(
            f"the state holds a {type(value).__qualname__} at {where or 'its top'}; expected plain "
            "data and arrays (override state_dict and load_state_dict to save it)"
        )
    return array

"""What a checkpoint may hold: plain data and arrays, nothing that would be run when it is read.

A state is a tree of dictionaries, lists, tuples, numbers, texts and None; of numpy's arrays,
numbers and random generators; and of arrays of other libraries that convert themselves, such as
tensors, which come back as numpy's.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
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


#: Containers that lie in each other deeper than this hold themselves.
_DEEPEST = 50

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
    saved = copy.deepcopy(state)
    drawing = {name: value for name, value in saved.items() if _has_generators(value)}
    taken = {name: _in_place(own.get(name), value) for name, value in drawing.items()}
    alike = {name: taken[name] for name in drawing if _draw_alike(taken[name], saved[name])}
    own.update({**saved, **alike})


def _in_place(mine: Any, saved: Any) -> Any:
    """What was saved, with the object's own generators, standing where those did."""
    if type(mine) is not type(saved):
        return saved
    if isinstance(mine, Numpys):
        return mine if _stands(mine, saved) else saved
    if type(saved) is dict:
        return {key: _in_place(mine.get(key), value) for key, value in saved.items()}
    if type(saved) in (list, tuple) and len(mine) == len(saved):
        return type(saved)(map(_in_place, mine, saved))
    return saved


def _stands(mine: Any, saved: Any) -> bool:
    """Let a generator stand where another of its class does, if they make their bits alike."""
    bits = [getattr(each, "_bit_generator", None) for each in (mine, saved)]
    if type(bits[0]) is not type(bits[1]):
        return False
    if isinstance(mine, np.random.Generator):
        restore_generator(mine, state_with_seeds(saved, ""))
    else:  # it may draw from another's bits
        mine.set_state(saved.get_state(legacy=False))
    return True


def _has_generators(tree: Any) -> bool:
    """Whether there are any; said of nothing that nests without an end, by holding itself."""
    try:
        return _found(tree, _DEEPEST)
    except RecursionError:
        return False


def _found(tree: Any, depth: int) -> bool:
    if depth == 0:
        raise RecursionError
    parts = tree.values() if type(tree) is dict else tree if type(tree) in (list, tuple) else ()
    found = [_found(each, depth - 1) for each in parts]  # all: one may hold itself
    return isinstance(tree, Numpys) or any(found)


def _draw_alike(mine: Any, saved: Any) -> bool:
    """Whether generators at the same places stand at the same numbers."""
    if isinstance(saved, Numpys):
        states = (state_with_seeds(each, "") for each in (mine, saved))
        return len({repr(state) for state in states}) == 1
    if type(saved) is dict:
        return all(_draw_alike(mine[key], value) for key, value in saved.items())
    if type(saved) in (list, tuple):
        return all(map(_draw_alike, mine, saved))
    return True


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

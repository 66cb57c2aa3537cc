"""What a checkpoint may hold: plain data and arrays, nothing that would be run when it is read.

A state is a tree of dictionaries, lists, tuples, numbers, texts and None; of numpy's arrays,
numbers and random generators; and of arrays of other libraries that convert themselves, such as
tensors, which come back as numpy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import CheckpointError

#: What a state may ask for by name: numpy's own bit generators and nothing else.
BIT_GENERATORS: dict[str, type[np.random.BitGenerator]] = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}

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
    if isinstance(tree, np.random.Generator | np.random.RandomState):
        return generator(generator_state(tree, where))
    array = as_array(tree, where).copy()
    return array[()] if isinstance(tree, np.generic) else array


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


def generator_state(value: np.random.Generator | np.random.RandomState, where: str) -> Any:
    """The state of one of numpy's generators; raises :class:`CheckpointError` for others."""
    if isinstance(value, np.random.RandomState):
        return value.get_state(legacy=False)
    state: Any = value.bit_generator.state
    name = type(value.bit_generator).__name__
    if name not in BIT_GENERATORS:
        raise CheckpointError(
            f"the state holds a generator of {name} at {where or 'its top'}; expected one of "
            f"numpy's: {', '.join(BIT_GENERATORS)}"
        )
    return state


def generator(state: Any) -> np.random.Generator | np.random.RandomState:
    """The generator of a state, whose kind is looked up by its name, never imported."""
    if not isinstance(state, dict) or state.get("bit_generator") not in BIT_GENERATORS:
        raise CheckpointError(f"no generator of numpy has the state {state!s:.80}")
    check_place(state)
    if "has_gauss" in state:
        legacy = np.random.RandomState()
        legacy.set_state(state)
        return legacy
    bits = BIT_GENERATORS[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


#: Where a generator stands in the numbers that it has made ahead: where that is kept, and the last
#: place. numpy does not check it, and reads on from there.
_PLACES = {"MT19937": (("state", "pos"), 624), "Philox": (("buffer_pos",), 4)}


def check_place(state: Any) -> None:
    """Refuse a generator's state that stands outside of the numbers that it has made ahead."""
    keys, last = _PLACES.get(state["bit_generator"], ((), 0))
    place = state
    for key in keys:
        place = place.get(key) if isinstance(place, dict) else None
    if keys and not (isinstance(place, int | np.integer) and 0 <= place <= last):
        raise CheckpointError(
            f"the saved {state['bit_generator']} is at place {place!r:.20}; expected 0 to {last}"
        )

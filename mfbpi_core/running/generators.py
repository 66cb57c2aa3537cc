"""numpy's generators in a saved state: their kinds by name, and where they stand, checked.

numpy takes over nearly anything: a place outside of the numbers that were made ahead, from which it
reads on; numbers with a fraction, which it cuts off; and states from which the same number comes
for ever, so that what draws until a number fits never ends.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from mfbpi_core.data import exact
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running import seeds
from mfbpi_core.text import described

#: The generators of numpy: what they draw is told by their state, and by nothing else.
Numpys = np.random.Generator | np.random.RandomState

#: What a state may ask for by name: numpy's own bit generators and nothing else.
BIT_GENERATORS: dict[str, type[np.random.BitGenerator]] = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}

#: Where a state keeps what new generators are spawned from, which numpy's own states leave out.
SEEDS = "seed_seq"

#: Of generators that make numbers ahead, where the place among them is kept, and the last one.
_PLACES = {"MT19937": (("state", "pos"), 624), "Philox": (("buffer_pos",), 4)}


def generator_state(value: Numpys, where: str) -> Any:
    """The state of one of numpy's generators, as a copy, for :func:`restore_generator`.

    Args:
        value: the generator.
        where: its place in a larger state, for messages.

    Raises:
        CheckpointError: when it, or what makes its bits, is of a class of its own: no state tells
            what that does, and what is made of a state is numpy's.
    """
    check_class(value, where)
    if isinstance(value, np.random.RandomState):
        return value.get_state(legacy=False)
    return value.bit_generator.state


def state_with_seeds(value: Numpys, where: str) -> Any:
    """The same with what it spawns others from, for :func:`generator`."""
    state = generator_state(value, where)
    spawned = isinstance(value, np.random.Generator) and seeds.saved(value.bit_generator)
    return {**state, SEEDS: spawned} if spawned else state


def check_class(value: Numpys, where: str) -> None:
    """Refuse a generator that would come back as another; see :func:`generator_state`."""
    bits = value._bit_generator if isinstance(value, np.random.RandomState) else value.bit_generator
    for each, numpys in (
        (value, (np.random.Generator, np.random.RandomState)),
        (bits, tuple(BIT_GENERATORS.values())),
    ):
        if type(each) not in numpys:
            name = f"{type(each).__module__}.{type(each).__qualname__}"
            raise CheckpointError(
                f"the state holds a {name} at {where or 'its top'}; expected a class of numpy's, "
                f"{' or '.join(kind.__name__ for kind in numpys)} itself (override state_dict and "
                "load_state_dict to save it)"
            )


def generator(state: Any) -> Numpys:
    """The generator of a state, whose kind is looked up by its name, never imported.

    Raises:
        CheckpointError: when it is the state of none.
    """
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if not isinstance(name, str) or name not in BIT_GENERATORS:
        raise CheckpointError(f"no generator of numpy has the state {_shown(state)}")
    with _refused(state):
        bits = BIT_GENERATORS[name](seeds.restored(state.get(SEEDS)))
        if "has_gauss" in state:
            legacy = np.random.RandomState(bits)
            _check_place(state)
            legacy.set_state(state)
            _check_taken(legacy.get_state(legacy=False), state)
            return legacy
    made = np.random.Generator(bits)
    restore_generator(made, state)
    return made


def restore_generator(own: np.random.Generator, saved: Any) -> None:
    """Let a generator stand where the saved one did; what draws from it keeps it.

    It spawns what that would have spawned, if the state says so, and else what it would itself.

    Raises:
        CheckpointError: when it is the state of another kind of generator or none that numpy
            makes, or the generator is of a class of its own; it stands where it stood then.
    """
    check_class(own, "")
    bits: Any = own.bit_generator
    before = bits.state
    try:
        with _refused(saved):
            state = {key: value for key, value in dict(saved).items() if key != SEEDS}
            sequence = seeds.restored(saved.get(SEEDS))
            _check_place(state)
            bits.state = copy.deepcopy(state)
            _check_taken(bits.state, state)
    except CheckpointError:
        bits.state = before
        raise
    if sequence is not None:
        with suppress(TypeError):  # numpy before 2.0 keeps no seeds in pickles either
            bits.__setstate__((bits.state, sequence))  # as it is unpickled, in place


@contextmanager
def _refused(saved: Any) -> Iterator[None]:
    """Say of whatever numpy raises which state it is about."""
    try:
        yield
    except CheckpointError:
        raise
    except Exception as error:
        raise CheckpointError(
            f"no generator of numpy has the saved state {_shown(saved)}: {described(error)}"
        ) from error


def _check_place(state: Any) -> None:
    """Refuse a generator's state that stands outside of the numbers that it has made ahead."""
    keys, last = _PLACES.get(state["bit_generator"], ((), 0))
    place = state
    for key in keys:
        place = place.get(key) if isinstance(place, dict) else None
    if keys and not (isinstance(place, int | np.integer) and 0 <= place <= last):
        raise CheckpointError(
            f"the saved {state['bit_generator']} is at place {_shown(place)}; expected 0 to {last}"
        )


def _check_taken(taken: Any, saved: Any) -> None:
    """Refuse a state that numpy rounds, or that always makes the same number."""
    kind = taken["bit_generator"]
    stuck = kind.startswith("PCG64") and taken["state"]["inc"] % 2 == 0
    if kind == "MT19937":
        key = taken["state"]["key"]
        stuck = key[0] < 2**31 and not key[1:].any()  # nothing else of key[0] is ever read
    if stuck or taken.get("has_uint32", 0) not in (0, 1) or not _is_same(taken, saved):
        raise CheckpointError(
            f"no {kind} of numpy has the saved state {_shown(saved)}; expected one that it returned"
        )


def _is_same(taken: Any, saved: Any) -> bool:
    """Whether a part of a state says what numpy understood, in numbers of the same kind."""
    if isinstance(taken, dict):
        known = isinstance(saved, dict) and set(saved) == set(taken)
        return known and all(_is_same(taken[key], saved[key]) for key in taken)
    if isinstance(taken, np.ndarray):
        items = list(saved) if isinstance(saved, np.ndarray | list) else []  # a list out of JSON
        return bool([exact.whole(item) for item in items] == taken.tolist())
    if isinstance(taken, int):
        return exact.whole(saved) == taken
    return bool(taken == saved)


def _shown(part: Any) -> str:
    """A part of a state in a message; some, such as integers of 5000 digits, have no text."""
    try:
        return f"{part!s:.80}"
    except Exception:
        return "that cannot be shown"

"""The random streams and the state of a bsuite environment, which offers access to neither.

A bsuite environment draws from one ``numpy.random.RandomState`` called ``_rng``, made when the
environment is built; wrappers (``RewardNoise``, ``RewardScale``) hold the wrapped one in ``_env``
and have a stream of their own. What :func:`reseed` and the states rely on is checked against the
real package by tests.
"""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

import numpy as np

from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import generator, generator_state
from mfbpi_core.running.state import copied

#: An environment of bsuite, or a wrapper; its package has no types.
Raw: TypeAlias = Any

#: Data sets: they never change, and a copy of them would be in every checkpoint.
_CONSTANTS = frozenset({"_images", "_labels"})


def layers(raw: Raw) -> list[Raw]:
    """The environment inside all wrappers, then the wrappers from the inside out."""
    found = [raw]
    while "_env" in vars(found[0]):
        found.insert(0, vars(found[0])["_env"])
    return found


def reseed(raw: Raw, seed: int) -> None:
    """Restart the random streams.

    The environment then shows what bsuite's own, built with ``seed=seed``, shows from its first
    reset on, if it draws nothing while it is built (MemoryChain and UmbrellaChain do). Wrappers
    get streams of their own: bsuite would give them the same numbers as the environment that they
    wrap. Action mappings, drawn from ``mapping_seed``, are left alone.

    Args:
        raw: the environment.
        seed: 0 to 2**32 - 1.

    Raises:
        ValueError: for another seed.
    """
    for depth, layer in enumerate(layers(raw)):
        if "_rng" in vars(layer):
            layer._rng = _random_state(seed, depth)


def _random_state(seed: int, depth: int) -> np.random.RandomState:
    if depth == 0:
        return np.random.RandomState(seed)
    sequence = np.random.SeedSequence(seed, spawn_key=(depth,))
    return np.random.RandomState(np.random.MT19937(sequence))


def state_of(raw: Raw) -> list[StateDict]:
    """What interaction changes, as a copy; one dictionary for each of :func:`layers`."""
    return [{"class": type(layer).__name__, "values": _values(layer)} for layer in layers(raw)]


def load_state(raw: Raw, state: list[StateDict]) -> None:
    """Restore what :func:`state_of` returned.

    Raises:
        CheckpointError: when it was saved from another kind of environment.
    """
    saved = [entry["class"] for entry in state]
    present = [type(layer).__name__ for layer in layers(raw)]
    if saved != present:
        raise CheckpointError(
            f"the state was saved from a bsuite environment of {', '.join(saved)}; this one is "
            f"{', '.join(present)}: load it into an environment with the same parameters"
        )
    for layer, entry in zip(layers(raw), state, strict=True):
        for name, value in entry["values"].items():
            setattr(layer, name, _restored(vars(layer).get(name), value))


def _values(layer: Raw) -> StateDict:
    """Attributes but functions, constants and what is wrapped; streams by their state."""
    return {
        name: _plain(value, f"{type(layer).__name__}.{name}")
        for name, value in vars(layer).items()
        if name != "_env" and name not in _CONSTANTS and not callable(value)
    }


def _plain(value: Any, where: str) -> Any:
    """A copy that can be unpickled without bsuite: streams by their state, records as tuples."""
    if isinstance(value, np.random.RandomState):
        return generator_state(value, where)
    return tuple(value) if _is_record(value) else copied(value, where)


def _restored(present: Any, value: Any) -> Any:
    """What :func:`_plain` was given, of the kind that is present."""
    if isinstance(present, np.random.RandomState):
        return generator(value)
    return type(present)(*value) if _is_record(present) else copy.deepcopy(value)


def _is_record(value: object) -> bool:
    """Whether it is a named tuple, such as the state of bsuite's cartpole."""
    return isinstance(value, tuple) and hasattr(value, "_fields")

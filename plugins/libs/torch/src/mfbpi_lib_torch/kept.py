"""What objects hold, kept to be put back: a state is restored whole, or nothing of it.

What is put back is not checked: it may be what no state can be, as numbers that are not finite,
and an error is to be about the state that was given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import restore_generator, state_with_seeds
from mfbpi_lib_torch.stateful import Stateful

#: Puts something back as it was.
Back: TypeAlias = Callable[[], None]


def restore_whole(own: Stateful, state: StateDict) -> None:
    """Restore a state, or nothing of it.

    Raises:
        CheckpointError: whatever was wrong with it.
    """
    back = kept(own)
    try:
        Stateful.load_state_dict(own, state)
    except BaseException as error:
        back()
        if isinstance(error, CheckpointError) or not isinstance(error, Exception):
            raise
        raise CheckpointError(
            f"the saved state has a part that is none of {type(own).__name__}: {error}"
        ) from error


def kept(value: Any) -> Back:
    """What puts a value back in place: arrays and tensors, generators, and what holds these."""
    if isinstance(value, Stateful):
        return _kept_object(value)
    if isinstance(value, list | dict):
        return _kept_items(value)
    if isinstance(value, np.ndarray):
        return functools.partial(value.__setitem__, ..., value.copy())
    if hasattr(value, "detach"):  # a tensor: to name its type would import torch
        return functools.partial(value.copy_, value.clone())
    if isinstance(value, np.random.Generator):
        state = state_with_seeds(value, "a generator")
        return functools.partial(restore_generator, value, state)
    return _nothing


def _kept_object(value: Stateful) -> Back:
    """Its attributes, but for what is derived: views show what is put back."""
    derived = functools.cached_property
    own = {
        name: each
        for name, each in vars(value).items()
        if not isinstance(getattr(type(value), name, None), derived)
    }
    offered = [getattr(value, name) for name in value.saved if name not in own]
    parts = [kept(each) for each in (*own.values(), *offered)]

    def back() -> None:
        vars(value).update(own)
        for part in parts:
            part()

    return back


def _kept_items(value: list[Any] | dict[Any, Any]) -> Back:
    own = value.copy()
    parts = [kept(each) for each in (own.values() if isinstance(own, dict) else own)]

    def back() -> None:
        value.clear()
        getattr(value, "update" if isinstance(value, dict) else "extend")(own)
        for part in parts:
            part()

    return back


def _nothing() -> None:
    """There is nothing in it that could change."""

"""What a subclass of an agent has for itself, in a saved state: plain attributes, by their names.

Numbers, texts, arrays, generators, and lists, tuples and dictionaries of these. Whatever else there
is, as a part of the learner that is known by another name, is what the constructor makes of it.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.state import PLAIN, copied


def of(agent: object, others: Set[str]) -> StateDict:
    """A copy of the plain attributes of an agent, but for some others."""
    own = {name: v for name, v in vars(agent).items() if name not in others and _is_plain(v)}
    return copied(own, type(agent).__name__)


def _is_plain(value: Any, depth: int = 20) -> bool:
    """Whether a checkpoint can hold it; not what holds itself."""
    if isinstance(value, list | tuple | dict):
        items = [*value, *value.values()] if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(each, depth - 1) for each in items)
    if isinstance(value, np.ndarray | np.generic):
        return not value.dtype.hasobject
    return type(value) in PLAIN or isinstance(value, np.random.Generator | np.random.RandomState)


def check(agent: object, state: object, others: Set[str]) -> None:
    """Refuse what is none of an agent's own attributes.

    Raises:
        CheckpointError: when it is no mapping, or has the name of a method, or of another part.
    """
    if not isinstance(state, dict):
        raise CheckpointError(f"the saved attributes are {state!r:.80}; expected a mapping")
    for name in state:
        known = isinstance(name, str) and name.isidentifier() and name not in others
        if not known or callable(getattr(type(agent), name, None)):
            raise CheckpointError(
                f"the saved state has an attribute {name!r:.80}, which is none of "
                f"{type(agent).__name__}'s own"
            )

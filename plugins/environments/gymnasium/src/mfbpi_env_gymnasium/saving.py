"""What interaction changes in an environment of Gymnasium, which offers no access to it.

Of each layer, wrappers included, the attributes are kept that are plain data, arrays or random
generators. Spaces, functions, pictures and what describes the environment are left alone: playing
does not change them. An environment that holds anything else, such as the world of a physics
engine, cannot be saved.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np

from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running import generators
from mfbpi_core.running import state as plain
from mfbpi_env_gymnasium.wrappers import layers

#: Attributes that describe, or draw pictures.
_DESCRIBE = frozenset(
    {"env", "spec", "_cached_spec", "metadata", "render_mode", "P", "_metadata", "_kwargs"}
)


def state_of(raw: gymnasium.Env[object, object]) -> list[StateDict]:
    """The state of each layer, as a copy.

    Raises:
        CheckpointError: naming what cannot be saved.
    """
    return [{"class": type(each).__name__, "values": _values(each)} for each in layers(raw)]


def load_state(raw: gymnasium.Env[object, object], saved: list[StateDict]) -> None:
    """Restore what :func:`state_of` returned.

    Raises:
        CheckpointError: when it was saved from another kind of environment.
    """
    present = [type(each).__name__ for each in layers(raw)]
    if [each["class"] for each in saved] != present:
        raise CheckpointError(
            f"the state was saved from {[each['class'] for each in saved]}; this environment is "
            f"{present}: load it into one with the same parameters"
        )
    for layer, entry in zip(layers(raw), saved, strict=True):
        for name, value in entry["values"].items():
            setattr(layer, name, _restored(value))


def _values(layer: Any) -> dict[str, Any]:
    kept = {}
    for name, value in vars(layer).items():
        if name in _DESCRIBE or callable(value) or isinstance(value, gymnasium.Space):
            continue
        kept[name] = plain.restored(value, f".{type(layer).__name__}.{name}")
    return kept


def _restored(value: object) -> Any:
    """A copy, a generator again if it was one."""
    if isinstance(value, np.random.Generator):
        return generators.generator(generators.state_with_seeds(value, ""))
    return copy.deepcopy(value)

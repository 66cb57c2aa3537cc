"""What wrappers of Gymnasium do to an environment: whether they change it, and when they cut it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
from gymnasium import wrappers

#: Wrappers that look, cut or check, and leave what is shown and paid as it is.
_HARMLESS: tuple[type, ...] = (
    wrappers.TimeLimit,
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.RecordEpisodeStatistics,
)


def layers(raw: gymnasium.Env[object, object]) -> Iterator[Any]:
    """The wrappers from the outside in, then what they wrap."""
    while isinstance(raw, gymnasium.Wrapper):
        yield raw
        raw = raw.env
    yield raw


def modules(raw: gymnasium.Env[object, object], name: str) -> tuple[str, ...]:
    """The modules that say what an environment is: of its id, of its class and of its wrappers.

    What these import in turn is found from their sources by who keeps what they hold.

    Args:
        raw: the environment.
        name: its id, perhaps as ``MODULE:ID``.
    """
    registering, _, _ = name.rpartition(":")
    classes = [type(layer).__module__ for layer in layers(raw)]
    outermost = [module.partition(".")[0] for module in (registering, *classes) if module]
    return tuple(dict.fromkeys(outermost))


def changes_nothing(raw: gymnasium.Env[object, object]) -> bool:
    """Whether all wrappers leave what is shown and paid as it is."""
    return all(isinstance(layer, _HARMLESS) for layer in list(layers(raw))[:-1])


def time_limit(raw: gymnasium.Env[object, object]) -> int | None:
    """The longest episode; None where none need end."""
    limits = [
        int(layer._max_episode_steps)
        for layer in layers(raw)
        if isinstance(layer, wrappers.TimeLimit)
    ]
    return min(limits, default=None)

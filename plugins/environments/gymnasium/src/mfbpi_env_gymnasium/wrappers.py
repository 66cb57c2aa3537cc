"""What wrappers of Gymnasium do to an environment: whether they change it, and when they cut it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
from gymnasium import wrappers

from mfbpi_core.errors import UsageError

#: Wrappers that look, cut or check, and leave what is shown and paid as it is.
_HARMLESS: tuple[type, ...] = (
    wrappers.TimeLimit,
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.RecordEpisodeStatistics,
)

#: What scripts and notebooks are called as modules, here and in workers.
_MAIN = ("__main__", "__mp_main__")


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

    Raises:
        UsageError: for a class of the script or notebook itself, which workers cannot import, and
            which results could not tell from that of another script.
    """
    registering, _, bare = name.rpartition(":")
    own = [type(layer).__name__ for layer in layers(raw) if type(layer).__module__ in _MAIN]
    if own or registering in _MAIN:
        raise UsageError(
            f"{own[0] if own else bare} is defined in the session, that is in the script or "
            "notebook that runs, which workers cannot import; expected a class of a module: put "
            f"{' and '.join(own) or 'it'} and gymnasium.register(...) into a file, such as "
            f"my_environments.py in this folder, and give gymnasium:my_environments:{bare}"
        )
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

"""``gymnasium.make``, with messages that say what to do."""

from __future__ import annotations

import difflib
import inspect
from typing import Any

import gymnasium

from mfbpi_core.errors import ConfigError, UsageError
from mfbpi_core.text import described


def make(
    environment_id: str, max_episode_steps: int | None, arguments: dict[str, Any]
) -> gymnasium.Env[object, object]:
    """Make an environment.

    Args:
        environment_id: as registered, or ``MODULE:ID``, which imports a module that registers it.
        max_episode_steps: a time limit; None for the registered one.
        arguments: whatever else ``gymnasium.make`` takes for it.

    Raises:
        ConfigError: for an id that is not known, with close ones, or an argument that it refuses.
        UsageError: when it cannot be made here, with Gymnasium's reason.
    """
    limit = {} if max_episode_steps is None else {"max_episode_steps": max_episode_steps}
    try:
        # The checker would look at every step; what passes is checked by the loop.
        return gymnasium.make(environment_id, disable_env_checker=True, **limit, **arguments)
    except gymnasium.error.DeprecatedEnv as error:
        raise ConfigError(f"environment_id is {environment_id!r}: {error}") from error
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.Error) as error:
        if isinstance(error, gymnasium.error.DependencyNotInstalled):
            raise UsageError(f"gymnasium cannot make {environment_id}: {error}") from error
        raise ConfigError(_unknown(environment_id, error)) from error
    except TypeError as error:
        raise ConfigError(_refused(environment_id, arguments, error)) from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"gymnasium cannot make {environment_id}: {described(error)}") from error


def _unknown(environment_id: str, error: Exception) -> str:
    known = sorted(gymnasium.registry)
    close = difflib.get_close_matches(environment_id, known, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    reason = " ".join(str(error).split()).rstrip(".")
    return f"environment_id is {environment_id!r}; {reason}{hint}"


def _refused(environment_id: str, arguments: dict[str, Any], error: TypeError) -> str:
    """The message for an argument that the class of an environment does not have."""
    known = _arguments(environment_id)
    wrong = [name for name in arguments if known and name not in known]
    if not wrong:
        return f"gymnasium cannot make {environment_id}: {described(error)}"
    close = difflib.get_close_matches(wrong[0], known, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{environment_id} has no argument {wrong[0]!r}; {hint}it has: {', '.join(known)}"


def _arguments(environment_id: str) -> list[str]:
    """What the class of an environment can be made with; nothing where that is not known."""
    try:
        point = gymnasium.spec(environment_id).entry_point
        found = (
            gymnasium.envs.registration.load_env_creator(point) if isinstance(point, str) else point
        )
        parameters = inspect.signature(found).parameters.values()  # type: ignore[arg-type]
    except (Exception, SystemExit):
        return []
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return []
    return [each.name for each in parameters]

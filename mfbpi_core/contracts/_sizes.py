"""Whether the sizes and ranges that an environment declares are such."""

from __future__ import annotations

from typing import Any

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError


def check_sizes(name: str, environment: Environment) -> None:
    """Refuse sizes and ranges with which no agent could be built, or compiled ones leave memory.

    Args:
        name: what built it, for messages.
        environment: what it built.

    Raises:
        PluginError: naming the attribute, and what it is.
    """
    for attribute in ("n_actions", "n_states", "max_episode_steps"):
        value, may_be_none = getattr(environment, attribute, None), attribute != "n_actions"
        if (exact.whole(value) or 0) < 1 and not (value is None and may_be_none):
            raise PluginError(
                f"{name}: {attribute} is {exact.shown(value)}; expected an integer of 1 or more"
                f"{', or None' if may_be_none else ''}"
            )
    if not _is_range(environment.reward_range):
        raise PluginError(
            f"{name}: reward_range is {exact.shown(environment.reward_range)}; expected the lowest "
            "and the highest reward, two numbers of which the first is smaller"
        )


def _is_range(limits: Any) -> bool:
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        return False
    low, high = map(exact.real, limits)
    return low is not None and high is not None and low < high

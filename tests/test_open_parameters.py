"""Settings without a target go to those that declare the key, and else to those that take any."""

from __future__ import annotations

import pytest

from mfbpi.plan import selection
from mfbpi_core import Registry
from mfbpi_core.errors import ConfigError, UsageError

LAKE = "gymnasium:FrozenLake-v1"


def values(names: list[str], settings: list[str]) -> list[dict[str, object]]:
    """The parameters that are set for each environment."""
    found = selection.environments(Registry.discover(), names, settings)
    return [dict(chosen.values) for chosen in found]


def test_a_declared_key_is_left_to_who_declares_it() -> None:
    """n_states is riverswim's; is_slippery is nobody's, and so Gymnasium's."""
    river, lake = values(["riverswim", LAKE], ["n_states=7", "is_slippery=false"])
    assert river == {"n_states": 7}
    assert lake == {"environment_id": "FrozenLake-v1", "is_slippery": False}


def test_a_target_decides() -> None:
    """With a name in front the key is Gymnasium's all the same."""
    (lake,) = values([LAKE], ["gymnasium.map_name=8x8"])
    assert lake["map_name"] == "8x8"


def test_without_such_a_plugin_unknown_keys_are_errors() -> None:
    """As ever, with a close match."""
    with pytest.raises((ConfigError, UsageError), match="did you mean n_states"):
        values(["riverswim"], ["n_sates=7"])

"""Which modules say what an environment is: results name what they hold, or their versions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.envs.registration import EnvSpec
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.wrappers import TransformReward

from mfbpi_core.errors import UsageError
from mfbpi_env_gymnasium.environment import Config, adopt, build

SOURCE = """
import gymnasium
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

class Lake(FrozenLakeEnv):
    pass

gymnasium.register(id="OwnLake-v0", entry_point="own_lakes:Lake")
gymnasium.register(id="OwnPole-v0", entry_point="gymnasium.envs.classic_control:CartPoleEnv")
"""


def test_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that registers it, that of its class, and those of wrappers."""
    (tmp_path / "own_lakes.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    lake = build(Config(environment_id="own_lakes:OwnLake-v0"))
    pole = build(Config(environment_id="own_lakes:OwnPole-v0"))
    sys.modules.pop("own_lakes")

    assert build(Config()).made_of == ("gymnasium",)
    assert set(lake.made_of) == set(pole.made_of) == {"own_lakes", "gymnasium"}
    wrapped = adopt(TransformReward(lake.raw, lambda reward: -reward), {})  # type: ignore[attr-defined]
    assert wrapped is not None
    assert set(wrapped.made_of) == {"own_lakes", "gymnasium"}


@pytest.mark.parametrize("base", [FrozenLakeEnv, CartPoleEnv])
def test_a_class_of_the_session(base: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers cannot import it: it is named, with what to do, whether it has a table or not."""
    own: Any = type("Mine", (base,), {"__module__": "__main__"})
    monkeypatch.setitem(gymnasium.registry, "Mine-v0", EnvSpec("Mine-v0", entry_point=own))
    env = build(Config(environment_id="Mine-v0"))

    said = "Mine is defined in the session.*put Mine and .*give gymnasium:my_environments:Mine-v0"
    with pytest.raises(UsageError, match=said):
        _ = env.made_of

"""Our environments as Gymnasium's: checked by Gymnasium itself, and read back as they are."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mfbpi
from mfbpi.gymnasium import IDS


@pytest.mark.parametrize("environment_id", IDS)
def test_gymnasium_accepts_it(environment_id: str) -> None:
    """``check_env`` finds nothing wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice, such as about boxes without limits
        check_env(gymnasium.make(environment_id).unwrapped, skip_render_check=True)


def test_the_module_may_stand_in_front() -> None:
    """As for any environment of another package; parameters are arguments."""
    environment: Any = gymnasium.make("mfbpi.gymnasium:mfbpi/RiverSwim-v0", n_states=7)
    assert environment.observation_space.n == 7
    assert environment.reset(seed=0)[0] == 0


@pytest.mark.parametrize("name", ["riverswim", "random_mdp", "two_rooms", "forked_riverswim"])
def test_p_is_the_model(name: str) -> None:
    """Out to Gymnasium and in again: transitions, mean rewards, start and ends are the same."""
    ours = mfbpi.make_environment(name)
    raw = gymnasium.make(next(each for each in IDS if _name(each) == name))
    again = mfbpi.make_environment(raw)
    assert ours.model is not None
    assert again.model is not None
    assert np.allclose(again.model.transitions, ours.model.transitions, rtol=1e-14, atol=0.0)
    assert np.allclose(again.model.mean_rewards, ours.model.mean_rewards, rtol=1e-14, atol=0.0)
    assert np.array_equal(again.model.initial, ours.model.initial)
    assert np.array_equal(again.model.terminal, ours.model.terminal)


def _name(environment_id: str) -> str:
    kwargs: dict[str, str] = gymnasium.spec(environment_id).kwargs
    return kwargs["environment"]


def test_pictures() -> None:
    """A chain is a line, a grid its map, DeepSea its own grid; a picture has a cell for each."""
    chain: Any = gymnasium.make("mfbpi/RiverSwim-v0", render_mode="ansi")
    chain.reset(seed=0)
    assert chain.render() == "@....\n"
    grid: Any = gymnasium.make("mfbpi/GridWorld-v0", render_mode="ansi", map="S#/.G")
    grid.reset(seed=0)
    assert grid.render() == "@#\n.#\n"
    sea: Any = gymnasium.make("mfbpi/SlippingDeepSea-v0", render_mode="rgb_array", size=4)
    sea.reset(seed=0)
    assert sea.render().shape == (96, 96, 3)

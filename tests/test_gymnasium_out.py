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


@pytest.mark.parametrize("environment_id", IDS)
def test_every_one_has_a_picture(environment_id: str) -> None:
    """Cells, a graph, or cart and pole: ``check_env`` finds what is rendered in order, too."""
    environment = gymnasium.make(environment_id, render_mode="rgb_array").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(environment)
    environment.reset(seed=0)
    picture: Any = environment.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3


def test_the_pole_hangs() -> None:
    """At the start it points down from the cart, which stands in the middle."""
    environment: Any = gymnasium.make("mfbpi/CartpoleSwingup-v0", render_mode="rgb_array")
    environment.reset(seed=0)
    orange = np.argwhere(environment.render()[:, :, 0] == 238)
    assert orange[:, 0].max() > 200
    assert abs(orange[:, 1].mean() - 240) < 5


def test_graphs_are_spread() -> None:
    """Six arms round the middle: the present state, in the middle, is near the centre."""
    environment: Any = gymnasium.make("mfbpi/SixArms-v0", render_mode="rgb_array")
    environment.reset(seed=0)
    blue = np.argwhere((environment.render() == [25, 113, 194]).all(axis=2))
    assert np.abs(blue.mean(axis=0) - 240).max() < 25


def test_our_taxi_is_gymnasiums() -> None:
    """Every transition, reward and end, and where episodes begin."""
    ours = mfbpi.make_environment("taxi")
    theirs = mfbpi.make_environment("gymnasium:Taxi-v4")
    assert ours.model is not None
    assert theirs.model is not None
    for name in ("successors", "probabilities", "rewards", "initial", "terminal"):
        assert np.array_equal(getattr(ours.model, name), getattr(theirs.model, name))
    assert ours.model.reward_range == theirs.model.reward_range
    assert ours.max_episode_steps == theirs.max_episode_steps


@pytest.mark.slow
def test_stable_baselines_trains_on_ours() -> None:
    """Its DQN learns RiverSwim of three states: it swims right everywhere."""
    from stable_baselines3 import DQN

    environment = gymnasium.make("mfbpi/RiverSwim-v0", n_states=3, max_episode_steps=100)
    model = DQN(
        "MlpPolicy",
        environment,
        seed=0,
        gamma=0.95,
        learning_starts=500,
        exploration_fraction=0.6,
        learning_rate=1e-3,
        target_update_interval=250,
    )
    model.learn(8_000)
    greedy = [int(model.predict(np.array(state), deterministic=True)[0]) for state in range(3)]
    assert greedy == [1, 1, 1]

"""The return of the recommendation, by hand."""

from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi_core import Agent, Environment, Problem, Snapshot, Streams, Transition
from mfbpi_core.contracts.parameters import parse
from mfbpi_core.errors import ConfigError, PluginError, RequirementError
from mfbpi_metric_greedy_return.metric import Config, GreedyReturn, round_interval

PROBLEM = Problem(n_states=None, n_actions=2, observation_shape=(1,), discount=0.5, horizon=1_000)


class _Coins(Environment):
    """Three steps, then the end; action 1 pays a random number, action 0 nothing."""

    n_actions = 2
    observation_shape = (1,)
    max_episode_steps = 3

    def __init__(self) -> None:
        self.rng = np.random.default_rng()
        self.seeds: list[int | None] = []
        self.clock = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.seeds.append(seed)
        self.clock = 0
        return np.array([self.clock]), {}

    def step(self, action: int) -> Any:
        self.clock += 1
        reward = action * float(self.rng.random())
        return np.array([self.clock]), reward, self.clock == 3, False, {}


class _Fixed(Agent):
    """Recommends one action, and counts how often it is asked."""

    def __init__(self, action: int) -> None:
        super().__init__(PROBLEM, None, np.random.default_rng(0))
        self.action = action
        self.asked = 0

    def select_action(self, observation: Any) -> int:
        raise AssertionError("measuring explores nothing")

    def update(self, transition: Transition) -> None:
        raise AssertionError("measuring teaches nothing")

    def recommend(self, observation: Any) -> int:
        self.asked += 1
        return self.action


def _snapshot(agent: Agent, step: int = 0, seed: int = 0) -> Snapshot:
    return Snapshot(step=step, episode=0, agent=agent, streams=Streams(seed=seed))


def _metric(environment: Environment | None = None, **parameters: Any) -> GreedyReturn:
    rng = np.random.default_rng(0)
    return GreedyReturn(PROBLEM, environment or _Coins(), Config(**parameters), rng)


def test_mean_of_twenty_undiscounted_returns():
    """The same as by hand: one seed, then 60 numbers from that stream."""
    coins = _Coins()
    measured = _metric(coins).measure(_snapshot(_Fixed(1)))
    numbers = np.random.default_rng(coins.seeds[0]).random(60)

    assert measured["greedy_return"] == pytest.approx(numbers.reshape(20, 3).sum(1).mean())
    assert coins.seeds[1:] == [None] * 19
    assert _metric().measure(_snapshot(_Fixed(0))) == {"greedy_return": 0.0}


def test_episodes_depend_on_seed_and_step_alone():
    """Equal whatever was measured before; different at another step or seed."""
    metric, fresh = _metric(), _metric()
    first = metric.measure(_snapshot(_Fixed(1), step=500))

    assert metric.measure(_snapshot(_Fixed(1), step=500)) == first
    assert fresh.measure(_snapshot(_Fixed(1), step=500)) == first
    assert fresh.measure(_snapshot(_Fixed(1), step=0)) != first
    assert fresh.measure(_snapshot(_Fixed(1), step=500, seed=1)) != first


def test_agent_is_asked_once_for_each_observation():
    """Sixty steps, three observations in which an action is taken."""
    agent = _Fixed(1)
    _metric().measure(_snapshot(agent))

    assert agent.asked == 3


def test_endless_episode_is_cut():
    """An environment that breaks its promise to end costs max_episode_steps, not forever."""

    class _Endless(_Coins):
        def step(self, action: int) -> Any:
            return np.zeros(1), 1.0, False, False, {}

    assert _metric(_Endless()).measure(_snapshot(_Fixed(1))) == {"greedy_return": 3.0}


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ((np.array([np.nan]), 0.0, False, False, {}), "observation array"),
        ((np.zeros(1), np.nan, False, False, {}), "reward nan"),
        ((np.zeros(1), 2.0, False, False, {}), "reward 2.0; expected a finite number from 0 to 1"),
        ((np.zeros(1), 0.0, "no", False, {}), "terminated is 'no'"),
        ((np.zeros(1), 0.0, False), r"returned .*Gymnasium's"),
    ],
)
def test_what_an_environment_must_not_show(step: Any, shown: str):
    """Refused as in training, and said of the environment; else it would be a number in a table."""

    class _Late(_Coins):
        reward_range = (0.0, 1.0)

        def step(self, action: int) -> Any:
            shown = super().step(action)
            return step if self.clock == 2 else shown

    with pytest.raises(PluginError, match=rf"_Late, evaluated.* step 2.*{shown}"):
        _metric(_Late()).measure(_snapshot(_Fixed(1)))


def test_every():
    """Measured at multiples of `every` and at the end, wherever it is; by default 20 points."""
    agent = _Fixed(0)
    steps = range(0, 1_001, 25)
    asked = [s for s in steps if _metric(every=400).measure(_snapshot(agent, step=s))]
    default = [s for s in steps if _metric().measure(_snapshot(agent, step=s))]

    assert asked == [0, 400, 800]
    assert _metric(every=400).measure(attrs.evolve(_snapshot(agent, step=617), last=True))
    assert default == list(range(0, 1_001, 50))


@pytest.mark.parametrize(
    ("horizon", "interval"),
    [(1, 1), (39, 1), (40, 2), (100, 5), (1_234, 50), (10_000, 500), (200_000, 10_000)],
)
def test_round_interval(horizon: int, interval: int):
    """The largest of 1, 2, 5, 10, ... of which twenty fit."""
    assert round_interval(horizon) == interval


def test_environment_without_episodes_is_refused():
    """A return needs an end."""

    class _Endless(_Coins):
        max_episode_steps = None

    with pytest.raises(RequirementError, match="expected an environment with max_episode_steps"):
        _metric(_Endless())


def test_parameters_from_text():
    """`every=none` is the default; fewer than one episode is refused."""
    assert parse(Config, {"every": "none"}) == Config()
    with pytest.raises(ConfigError, match="episodes is 0"):
        parse(Config, {"episodes": "0"})

"""Q-UCB: its rules on hand-computed numbers, and what it learns."""

import math

import numpy as np
import pytest

from mfbpi_agent_q_ucb.agent import QUCB, Config
from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import ConfigError
from mfbpi_lib_tabular.models.environment import TabularEnvironment


def agent_for(n_states=2, n_actions=2, discount=0.5, reward_range=(0.0, 1.0), **parameters):
    """An agent with seed 0 and 1000 steps to go."""
    problem = Problem(
        n_states=n_states,
        n_actions=n_actions,
        discount=discount,
        horizon=1000,
        reward_range=reward_range,
    )
    return QUCB(problem, Config(**parameters), np.random.default_rng(0))


def test_updates_by_hand():
    """S A T / delta = 4000 / 0.05: the bonus is c H sqrt(log 80000 / n), and V is at most H = 2."""
    agent = agent_for(bonus_scale=0.1)
    width = 0.1 * 2.0 * math.sqrt(math.log(80_000))

    agent.update(Transition(0, 1, 1.0, 1))
    first = 1.0 + width + 0.5 * 2.0
    assert agent.state.q[0, 1] == pytest.approx(first)

    # The next state is 0 itself, whose best value now exceeds H and is clipped.
    agent.update(Transition(0, 1, 0.0, 0))
    target = width / math.sqrt(2.0) + 0.5 * 2.0
    assert agent.state.q[0, 1] == pytest.approx(first + 0.75 * (target - first))


def test_default_constants_are_those_of_the_paper():
    """Value c = 1e-3 at gamma = 0.99: H is exactly 100."""
    constants = agent_for(discount=0.99).state.constants

    assert constants.largest == 100.0
    assert constants.bonus == pytest.approx(0.1 * math.sqrt(math.log(4000 / 0.05)))


def test_rewards_of_another_range_scale_the_bonus():
    """With rewards in [-1, 3] the largest value is 3 H and the bonus four times as wide."""
    usual, wide = agent_for(), agent_for(reward_range=(-1.0, 3.0))

    assert wide.state.constants.largest == 6.0
    assert wide.state.constants.bonus == pytest.approx(4 * usual.state.constants.bonus)


@pytest.mark.parametrize(("terminated", "value"), [(True, 1.0), (False, 2.0)])
def test_only_termination_stops_the_bootstrap(terminated, value):
    """What follows a truncation counts, what follows a termination does not."""
    agent = agent_for(bonus_scale=0.0)

    agent.update(Transition(0, 0, 1.0, 1, terminated=terminated, truncated=not terminated))

    assert agent.state.q[0, 0] == value


def test_actions_are_greedy_unless_asked_otherwise():
    """By default no action is forced; with min_exploration the first visit is uniform."""
    greedy, forced = agent_for(n_actions=3), agent_for(n_actions=3, min_exploration=1e-3)
    for agent in (greedy, forced):
        agent.state.q[0, 2] = 9.0

    assert {greedy.select_action(0) for _ in range(100)} == {2}
    assert {forced.select_action(0) for _ in range(100)} == {0, 1, 2}
    assert forced.recommend(0) == 2


def test_bonus_drives_to_every_pair():
    """Without rewards nothing but the bonus tells pairs apart: each is visited again and again."""
    mdp = TabularMDP.from_dense(np.full((3, 2, 3), 1 / 3), np.zeros((3, 2)))
    agent = agent_for(3, discount=0.9, bonus_scale=0.01)

    Interaction(TabularEnvironment(mdp), agent, seed=0).advance(3000)

    assert agent.state.visits.min() > 300


def test_finds_the_better_action():
    """One state, Bernoulli rewards of mean 0.4 and 0.6: the second is recommended."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[0.4, 0.6]], reward_law="bernoulli")
    agent = agent_for(1, discount=0.9, bonus_scale=0.1)

    Interaction(TabularEnvironment(mdp), agent, seed=0).advance(20_000)

    assert agent.recommended_policy().tolist() == [1]


@pytest.mark.parametrize(("key", "value"), [("bonus_scale", -1.0), ("delta", 0.0), ("delta", 1.0)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})

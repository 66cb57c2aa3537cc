"""Agents and declared ranges of rewards: the unit in which rewards are written does not matter."""

from __future__ import annotations

import numpy as np
import pytest

import mfbpi
from mfbpi_core import TabularMDP, Transition
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: A power of two, so that scaled numbers are exact.
UNIT = 64.0


def chain(unit: float) -> TabularEnvironment:
    """A chain of five states that ends; rewards in [-1, 1] times the unit."""
    rng = np.random.default_rng(1)
    transitions, rewards = rng.dirichlet(np.ones(5), size=(5, 2)), rng.uniform(-0.5, 0.5, (5, 2))
    rewards[4] = 0.0
    mdp = TabularMDP.from_dense(
        transitions,
        unit * rewards,
        terminal=np.arange(5) == 4,
        reward_range=(-0.5 * unit, 0.5 * unit),
    )
    return TabularEnvironment(mdp)


def actions(name: str, unit: float) -> list[int]:
    """What an agent does in a thousand steps."""
    environment = chain(unit)
    agent = mfbpi.make_agent(name, environment, seed=0, discount=0.9, steps=1_000)
    state, _ = environment.reset(seed=0)
    taken = []
    for _ in range(1_000):
        action = agent.select_action(state)
        following, reward, terminated, truncated, _ = environment.step(action)
        agent.update(Transition(state, action, reward, following, terminated, truncated))
        state = environment.reset()[0] if terminated else following
        taken.append(action)
    return taken


@pytest.mark.parametrize("name", ["mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas"])
def test_the_unit_of_rewards_does_not_matter(name: str) -> None:
    """The same actions, whether rewards are written in [-0.5, 0.5] or in [-32, 32]."""
    assert actions(name, 1.0) == actions(name, UNIT)


@pytest.mark.parametrize("name", ["q_learning", "q_ucb"])
def test_negative_rewards_leave_room_for_ends(name: str) -> None:
    """Every step costs 1 to 100; an end is worth 0, which no first guess may rule out."""
    transitions = np.zeros((2, 2, 2))
    transitions[0, 0, 0] = transitions[0, 1, 1] = transitions[1, :, 1] = 1.0
    mdp = TabularMDP.from_dense(
        transitions,
        [[-1.0, -2.0], [0.0, 0.0]],
        terminal=[False, True],
        reward_range=(-100.0, -1.0),
    )
    environment = TabularEnvironment(mdp)
    agent = mfbpi.make_agent(name, environment, seed=0, discount=0.9, steps=2_000)
    agent.advance(environment.simulator, 2_000)
    assert agent.recommend(0) == 1

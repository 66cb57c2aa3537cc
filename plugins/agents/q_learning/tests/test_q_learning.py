"""Q-learning: its rules on hand-computed numbers, and what it learns."""

import numpy as np
import pytest

from mfbpi_agent_q_learning.agent import Config, QLearning
from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import ConfigError
from mfbpi_lib_tabular.models.environment import TabularEnvironment


def agent_for(n_states=2, n_actions=2, discount=0.5, reward_range=(0.0, 1.0), **parameters):
    """An agent with seed 0."""
    problem = Problem(
        n_states=n_states,
        n_actions=n_actions,
        discount=discount,
        horizon=1000,
        reward_range=reward_range,
    )
    return QLearning(problem, Config(**parameters), np.random.default_rng(0))


def test_starts_at_the_largest_value():
    """Q is H = 1 / (1 - gamma) everywhere, exactly, in units of the largest reward."""
    assert (agent_for(discount=0.99).state.q == 100.0).all()
    assert (agent_for(reward_range=(-1.0, 3.0)).state.q == 6.0).all()
    assert (agent_for(optimism=0.0).state.q == 0.0).all()


def test_two_updates_by_hand():
    """With H = 2 the rates are 1 and 3/4: Q(0,1) = 1 + 2/2 = 2, then 2 + 3/4 (0 + 2/2 - 2)."""
    agent = agent_for()

    agent.update(Transition(0, 1, 1.0, 1))
    assert agent.state.q.tolist() == [[2.0, 2.0], [2.0, 2.0]]

    agent.update(Transition(0, 1, 0.0, 1))
    assert agent.state.q.tolist() == [[2.0, 1.25], [2.0, 2.0]]
    assert agent.state.visits.tolist() == [[0, 2], [0, 0]]


def test_target_uses_the_best_next_action():
    """From s' the largest value counts, also where s' = s."""
    agent = agent_for()
    agent.state.q[...] = [[0.0, 1.0], [4.0, 6.0]]

    agent.update(Transition(0, 0, 0.5, 1))
    agent.update(Transition(0, 1, 0.5, 0))

    assert agent.state.q[0].tolist() == [3.5, 2.25]


@pytest.mark.parametrize(
    ("terminated", "truncated", "value"), [(True, False, 1.0), (False, True, 2.0)]
)
def test_only_termination_stops_the_bootstrap(terminated, truncated, value):
    """What follows a truncation counts, what follows a termination does not."""
    agent = agent_for()

    agent.update(Transition(0, 0, 1.0, 1, terminated=terminated, truncated=truncated))

    assert agent.state.q[0, 0] == value


def test_exploration_is_forced_at_first_and_rare_later():
    """The first visit of a state is uniform; after 10^6 visits a thousandth is."""
    agent = agent_for(n_actions=4)
    agent.state.q[0, 3] = 9.0
    first = np.bincount([agent.select_action(0) for _ in range(4000)], minlength=4)
    agent.state.visits[0] = 250_000
    late = np.bincount([agent.select_action(0) for _ in range(100_000)], minlength=4)

    np.testing.assert_allclose(first / 4000, 0.25, atol=0.03)
    assert 0 < late[:3].sum() < 150  # expected 75, standard deviation 9


def test_without_exploration_actions_are_greedy():
    """With min_exploration 0 the best action is always taken, the first where they tie."""
    agent = agent_for(n_actions=3, min_exploration=0.0)
    agent.state.q[0] = [1.0, 2.0, 2.0]

    assert {agent.select_action(0) for _ in range(100)} == {1}
    assert agent.recommend(0) == 1


def test_time_limit_does_not_lower_the_value():
    """One state, reward 1, gamma 0.9, time limit 5: the value tends to 10, not to 3.57."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), np.ones((1, 2)))
    agent = agent_for(1, discount=0.9, optimism=0.0)

    Interaction(TabularEnvironment(mdp, max_episode_steps=5), agent, seed=0).advance(20_000)

    np.testing.assert_allclose(agent.state.q, 10.0, atol=0.05)


def test_finds_the_optimal_policy_of_a_ring():
    """Four states in a ring, where going round pays 1 once a lap and staying pays 0.2."""
    transitions = np.stack([np.roll(np.eye(4), 1, axis=1), np.eye(4)], axis=1)  # P[s, a, s']
    rewards = np.full((4, 2), 0.2)
    rewards[:3, 0], rewards[3, 0] = 0.0, 1.0
    agent = agent_for(4, discount=0.95)

    Interaction(
        TabularEnvironment(TabularMDP.from_dense(transitions, rewards)), agent, seed=0
    ).advance(5000)

    # A lap is worth 1/4 a step on average, more than 0.2 for staying.
    np.testing.assert_array_equal(agent.recommended_policy(), np.zeros(4))


@pytest.mark.parametrize(("key", "value"), [("min_exploration", 1.5), ("optimism", -1.0)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})

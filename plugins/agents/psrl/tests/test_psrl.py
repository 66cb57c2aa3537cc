"""PSRL: when it draws, from what, and what it learns."""

import numpy as np
import pytest

from mfbpi_agent_psrl.agent import PSRL, Config
from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import CheckpointError, ConfigError
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning


def agent_for(n_states=3, n_actions=2, discount=0.9, **parameters) -> PSRL:
    """An agent with seed 0."""
    problem = Problem(n_states=n_states, n_actions=n_actions, discount=discount, horizon=1000)
    return PSRL(problem, Config(**parameters), np.random.default_rng(0))


def ring(n_states: int) -> TabularMDP:
    """Going round pays 1 once a lap, staying 0.2."""
    transitions = np.stack(
        [np.roll(np.eye(n_states), 1, axis=1), np.eye(n_states)], axis=1
    )  # P[s, a, s']
    rewards = np.zeros((n_states, 2))
    rewards[:, 1], rewards[-1, 0] = 0.2, 1.0
    return TabularMDP.from_dense(transitions, rewards)


def test_draws_when_visits_double_or_the_period_ends():
    """One pair, period 10: draws before steps 1, 2, 3, 5, 9 and 17 (doubling), 19, 29, ..."""
    agent = agent_for(1, 1)
    drawn = []
    for step in range(1, 41):
        before = agent.n_solves
        agent.select_action(0)
        agent.update(Transition(0, 0, 0.0, 0))
        if agent.n_solves > before:
            drawn.append(step)

    # At a draw after n steps the mark is 2 n and the deadline n + 10: from n = 16 on the
    # deadline is first.
    assert drawn == [1, 2, 3, 5, 9, 17, 27, 37]


def test_period_is_the_effective_horizon():
    """ceil(1 / (1 - 0.99)) is 100, not 99 or 101; a period given replaces it."""
    assert agent_for(discount=0.99).solve() == 100
    assert agent_for(discount=0.9).solve() == 10
    assert agent_for(discount=0.7).solve() == 4
    assert agent_for(period=7).solve() == 7


def test_draws_wait_in_a_large_instance():
    """Period 100: a draw every 10 steps at most, and without a doubling only when it is over."""
    agent = agent_for(300, 3, discount=0.99)
    drawn = []
    for step in range(1, 401):
        before = agent.state.deadline[0]
        agent.select_action(0)
        agent.update(Transition(0, 0, 0.0, 0))
        if agent.state.deadline[0] > before:
            drawn.append(step)

    # Pair (0, 0) has doubled by steps 11 (10 visits from 0), 21 and 41, 81, 161, 321; a period
    # after 161 is 261, and one after that is 361.
    assert drawn == [1, 11, 21, 41, 81, 161, 261, 361]


def test_large_and_small_instances_draw_the_same_law(monkeypatch):
    """One state, two actions: either is best with probability 1/2."""
    monkeypatch.setattr(posterior, "LARGE", 0)
    agent = agent_for(1, 2, period=1)
    policies = []
    for _ in range(2000):
        agent.state.deadline[0] = 0
        agent.solve()
        policies.append(int(agent.state.policy[0]))

    assert np.mean(policies) == pytest.approx(0.5, abs=0.05)


def test_follows_the_policy_of_the_draw_until_the_next():
    """Between draws the action of a state is fixed."""
    agent = agent_for(3, period=1000)
    agent.select_action(0)
    policy = agent.state.policy.copy()

    assert [agent.select_action(s) for s in (0, 1, 2, 0, 1, 2)] == [*policy, *policy]
    assert agent.n_solves == 1


def test_draws_vary_while_little_is_known():
    """Without data the optimal policy of a draw is any of them, equally likely."""
    agent = agent_for(1, 2)
    policies = []
    for _ in range(2000):
        agent.solve()
        policies.append(int(agent.state.policy[0]))

    assert np.mean(policies) == pytest.approx(0.5, abs=0.05)


def test_much_data_leaves_no_doubt():
    """After 10^6 visits of each pair of the ring every draw has its optimal policy."""
    agent = agent_for(4)
    teach(agent, ring(4), 1_000_000)
    optimal = planning.solve(ring(4), 0.9).policy
    for _ in range(20):
        agent.solve()

        np.testing.assert_array_equal(agent.state.policy, optimal)
    np.testing.assert_array_equal(agent.recommended_policy(), optimal)


def teach(agent: PSRL, mdp: TabularMDP, visits: int) -> None:
    """Give the agent the counts of so many visits of each pair."""
    counts = agent.state.counts
    counts.visits[...] = visits
    counts.transitions[...] = np.rint(visits * mdp.transitions)
    counts.rewards[...] = visits * mdp.mean_rewards


def test_recommendation_of_the_draw():
    """With recommendation=draw the policy followed is the one recommended, as a copy."""
    agent = agent_for(recommendation="draw")
    agent.select_action(0)
    recommended = agent.recommended_policy()

    np.testing.assert_array_equal(recommended, agent.state.policy)
    assert not np.shares_memory(recommended, agent.state.policy)


def test_learns_a_ring():
    """From nothing to the optimal policy of six states."""
    agent = agent_for(6, discount=0.95)

    Interaction(TabularEnvironment(ring(6)), agent, seed=0).advance(5000)

    np.testing.assert_array_equal(agent.recommended_policy(), planning.solve(ring(6), 0.95).policy)


def test_time_limit_does_not_lower_the_value():
    """Endings by a time limit are not counted as endings of the task."""
    agent = agent_for(6)

    Interaction(TabularEnvironment(ring(6), 5), agent, seed=0).advance(500)

    assert agent.state.counts.endings.sum() == 0
    assert agent.state.counts.transitions.sum() == 500


def test_a_saved_schedule_is_restored():
    """A draw in the middle of a period happens at the same step after loading."""
    one, two = agent_for(2), agent_for(2)
    for t in range(37):
        one.update(Transition(t % 2, one.select_action(t % 2), 0.5, (t + 1) % 2))
    two.load_state_dict(one.state_dict())
    actions = []
    for agent in (one, two):
        chosen = []
        for t in range(37, 137):
            chosen.append(agent.select_action(t % 2))
            agent.update(Transition(t % 2, chosen[-1], 0.5, (t + 1) % 2))
        actions.append(chosen)

    assert actions[0] == actions[1]
    assert one.schedule.deadline == two.schedule.deadline


def test_loading_another_size_is_refused():
    """A state saved with 3 states does not fit an agent with 4."""
    with pytest.raises(CheckpointError, match=r"counts\.visits.*\(3, 2\).*\(4, 2\)"):
        agent_for(4).load_state_dict(agent_for(3).state_dict())


@pytest.mark.parametrize(("key", "value"), [("prior", 0.0), ("period", -1)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})

"""MF-BPI: its rules on hand-computed numbers, and what it learns."""

import attrs
import numpy as np
import pytest

from mfbpi_agent_mf_bpi.agent import MFBPI, Config
from mfbpi_agent_mf_bpi.ensemble import Ensemble, quantile, reorder
from mfbpi_agent_mf_bpi.recommendation import recommend
from mfbpi_agent_mf_bpi.rules import weigh
from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import CheckpointError, ConfigError
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution.terms import PHI_2


def chain(n_states: int) -> TabularMDP:
    """Left goes down, right goes up, surely; right at the end pays 1, left at the start 0.1."""
    states = np.arange(n_states)
    successors = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, n_states - 1)], axis=1)
    rewards = np.zeros((n_states, 2))
    rewards[0, 0], rewards[-1, 1] = 0.1, 1.0
    return TabularMDP.from_successors(successors[:, :, None], np.ones((n_states, 2, 1)), rewards)


def agent_for(n_states: int, n_actions: int = 2, discount: float = 0.9, **parameters) -> MFBPI:
    """An agent with seed 0."""
    problem = Problem(n_states=n_states, n_actions=n_actions, discount=discount, horizon=1000)
    return MFBPI(problem, Config(**parameters), np.random.default_rng(0))


def test_quantiles_equal_numpy():
    """The quantile by rank is numpy's linear interpolation, at the ends as well."""
    ensemble = Ensemble.spread((3, 2, 50), 10.0, np.random.default_rng(1))
    out = np.empty((3, 2))
    for xi in (0.0, 0.3, 0.5, 0.999, 1.0):
        quantile(ensemble, xi, out)

        np.testing.assert_allclose(out, np.quantile(ensemble.heads, xi, axis=2), rtol=1e-13)


def test_reorder_restores_a_changed_column_only():
    """After members of one column change, its ranks are sorted and the others untouched."""
    rng = np.random.default_rng(2)
    ensemble = Ensemble.spread((3, 2, 20), 1.0, rng)
    before = ensemble.ranked.copy()
    ensemble.heads[1, 0, ::3] = rng.uniform(size=7)

    reorder(ensemble, 1, 0, np.empty(20))

    np.testing.assert_array_equal(ensemble.ranked[:, 1, 0], np.sort(ensemble.heads[1, 0]))
    before[:, 1, 0] = ensemble.ranked[:, 1, 0]
    np.testing.assert_array_equal(ensemble.ranked, before)


def test_weights_by_hand():
    """Two states, gamma 1/2, gaps 1 and 2, moments given: the closed form, term by term."""
    agent = agent_for(2, discount=0.5, ensemble_size=1)
    set_tables(agent, q=[[3.0, 2.0], [1.0, 3.0]], m=[[0.5, 1.0], [0.0, 0.25]])
    first = (2 + 8 * PHI_2 * 1.0) / 1.0
    second = (2 + 8 * PHI_2 * 0.0) / 4.0
    spread = max(4.0, 16 * 0.25 * PHI_2 * 0.5) * 1.5**2 / (1.0 * 0.25)

    optimal = weigh(agent.state, 0.37)

    assert optimal == pytest.approx(np.sqrt(spread * (first + second) / 2))
    np.testing.assert_array_equal(agent.state.best, [0, 1])
    assert agent.state.weights[0, 1] == pytest.approx(first)
    assert agent.state.weights[1, 0] == pytest.approx(second)


def set_tables(agent: MFBPI, q, m) -> None:
    """Give every member the same tables."""
    for ensemble, table in ((agent.state.q, q), (agent.state.m, m)):
        ensemble.heads[...] = np.array(table)[:, :, None]
        ensemble.ranked[...] = np.array(table)[None]


def test_higher_moments_enter_by_their_root():
    """With k = 2 a fourth moment of 16 counts as m = 16^(1/2) = 4."""
    agent = agent_for(2, discount=0.5, ensemble_size=1, k=2)
    set_tables(agent, q=[[3.0, 2.0], [3.0, 1.0]], m=[[0.0, 16.0], [0.0, 0.0]])

    weigh(agent.state, 0.5)

    assert agent.state.weights[0, 1] == pytest.approx(2 + 8 * PHI_2 * 4.0)


def test_first_update_by_hand():
    """One member, first visit: alpha = 1, so Q becomes its target and M its squared deviation."""
    agent = agent_for(2, discount=0.5, ensemble_size=1)
    set_tables(agent, q=[[1.0, 0.0], [0.5, 0.25]], m=[[7.0, 7.0], [7.0, 7.0]])

    agent.update(Transition(0, 1, 1.0, 0))

    # Target 1 + 0.5 * 1 = 1.5; it is now the best value of the state itself: 1 + 0.75 - 1.5.
    assert agent.state.q.heads[0, 1, 0] == 1.5
    assert agent.state.m.heads[0, 1, 0] == pytest.approx((0.25 / 0.5) ** 2)
    assert agent.state.learner[0, 1] == 1.0
    assert agent.state.visits[0, 1] == 1


def test_second_update_uses_the_two_rates():
    """On the second visit alpha = (H + 1) / (H + 2) and beta = alpha^1.1, with H = 2."""
    agent = agent_for(2, discount=0.5, ensemble_size=1)
    set_tables(agent, q=[[0.0, 0.0], [0.0, 0.0]], m=[[0.0, 0.0], [0.0, 0.0]])

    agent.update(Transition(0, 1, 0.0, 1))
    agent.update(Transition(0, 1, 1.0, 1))

    alpha = 3 / 4
    assert agent.state.q.heads[0, 1, 0] == pytest.approx(alpha)
    assert agent.state.m.heads[0, 1, 0] == pytest.approx(alpha**1.1 * ((1 - alpha) / 0.5) ** 2)


def test_termination_stops_the_bootstrap_and_truncation_does_not():
    """The value of what follows counts after truncation only."""
    values = {}
    for terminated, truncated in ((True, False), (False, True)):
        agent = agent_for(2, discount=0.5, ensemble_size=1)
        set_tables(agent, q=[[0.0, 0.0], [2.0, 0.0]], m=[[0.0, 0.0], [0.0, 0.0]])
        agent.update(Transition(0, 0, 1.0, 1, terminated=terminated, truncated=truncated))
        values[truncated] = agent.state.q.heads[0, 0, 0]

    assert values == {False: 1.0, True: 2.0}


def test_time_limit_does_not_lower_the_value():
    """One state, reward 1, gamma 0.9, time limit 5: the value tends to 10, not to 3.57."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), np.ones((1, 2)))
    agent = agent_for(1, discount=0.9)

    Interaction(TabularEnvironment(mdp, max_episode_steps=5), agent, seed=0).advance(20_000)

    np.testing.assert_allclose(agent.state.learner, 10.0, atol=0.05)
    np.testing.assert_allclose(agent.state.q.heads, 10.0, atol=0.05)


def test_members_learn_with_the_given_probability():
    """Among many members, a share of about p changes in one step."""
    agent = agent_for(2, ensemble_size=4000, update_probability=0.7)
    before = agent.state.q.heads.copy()

    agent.update(Transition(0, 0, 1.0, 1))

    changed = (agent.state.q.heads[0, 0] != before[0, 0]).mean()
    assert changed == pytest.approx(0.7, abs=0.03)
    np.testing.assert_array_equal(agent.state.q.heads[1], before[1])


def test_a_single_member_learns_from_every_step():
    """Forced exploration: with one member every step counts, whatever p is."""
    agent = agent_for(2, ensemble_size=1, update_probability=0.01)

    for visit in range(1, 20):
        before = agent.state.q.heads[0, 0, 0]
        agent.update(Transition(0, 0, float(visit % 2), 1))

        assert agent.state.q.heads[0, 0, 0] != before


def test_unvisited_states_are_explored_uniformly():
    """At the first visit of a state eps = 1: each of four actions is equally likely."""
    agent = agent_for(2, n_actions=4)

    counts = np.bincount([agent.select_action(0) for _ in range(4000)], minlength=4)

    np.testing.assert_allclose(counts / 4000, 0.25, atol=0.03)


def test_actions_follow_the_weights():
    """Without forced exploration, actions are drawn in proportion to the weights."""
    agent = agent_for(2, n_actions=3, discount=0.5, ensemble_size=1, min_exploration=0.0)
    set_tables(agent, q=[[2.0, 1.0, 0.0]] * 2, m=np.zeros((2, 3)))
    agent.state.visits[...] = 10**9
    optimal = weigh(agent.state, 0.5)
    weights = np.array([optimal, *agent.state.weights[0, 1:]])

    counts = np.bincount([agent.select_action(0) for _ in range(20_000)], minlength=3)

    np.testing.assert_allclose(counts / 20_000, weights / weights.sum(), atol=0.015)


def test_allocation_is_a_distribution_and_measuring_it_changes_nothing():
    """The allocation sums to one over all pairs; reading it leaves the state as it was."""
    agent = agent_for(4)
    before = agent.state_dict()

    allocation = agent.allocation

    assert allocation.sum() == pytest.approx(1.0)
    assert (allocation > 0).all()
    for name, array in agent.state_dict()["arrays"].items():
        np.testing.assert_array_equal(array, before["arrays"][name])


@pytest.mark.parametrize(
    ("rule", "expected"), [("q_learner", 1), ("mode", 0), ("median", 0), ("mean", 1)]
)
def test_recommendation_rules_by_hand(rule, expected):
    """Three members, two of which slightly prefer action 0 and one strongly action 1."""
    heads = np.array([[[1.0, 1.0, 0.0], [0.9, 0.9, 5.0]]])  # [S=1, A=2, B=3]
    learner = np.array([[0.0, 1.0]])

    assert recommend(rule, learner, heads)[0] == expected


@pytest.mark.parametrize("ensemble_size", [1, 50])
def test_learns_a_chain(ensemble_size):
    """On a chain whose reward is at the far end, the policy returned goes there.

    Episodes are cut: at the deterministic end nothing would ever drive the agent back.
    """
    agent = agent_for(6, ensemble_size=ensemble_size)
    environment = TabularEnvironment(chain(6), max_episode_steps=15)

    Interaction(environment, agent, seed=1).advance(20_000)

    np.testing.assert_array_equal(agent.recommended_policy(), np.ones(6))
    assert agent.recommend(3) == 1


def test_loading_another_size_is_refused():
    """A state saved with 5 members does not fit an agent with 6."""
    saved = agent_for(2, ensemble_size=5).state_dict()

    with pytest.raises(CheckpointError, match=r"q\.heads.*\(2, 2, 5\).*\(2, 2, 6\)"):
        agent_for(2, ensemble_size=6).load_state_dict(saved)


@pytest.mark.parametrize(
    ("key", "value"), [("ensemble_size", 0), ("update_probability", 0.0), ("k", 7), ("k", True)]
)
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter, the value and the range."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        attrs.evolve(Config(), **{key: value})


def test_single_action_has_nothing_to_learn():
    """Every pair is as good as any other: the allocation is even, and no division by zero."""
    agent = agent_for(3, n_actions=1)

    np.testing.assert_array_equal(agent.allocation, np.full((3, 1), 1.0 / 3.0))

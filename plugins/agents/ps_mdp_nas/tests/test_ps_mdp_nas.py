"""PS-MDP-NaS: what it follows, and what it learns."""

import numpy as np
import pytest

from mfbpi_agent_ps_mdp_nas.agent import Config, PSMDPNaS
from mfbpi_core import Interaction, Problem, Registry
from mfbpi_core.errors import ConfigError
from mfbpi_core.plugins import assembly
from mfbpi_core.testing.worlds.instances import random_mdp
from mfbpi_lib_bounds import coefficients, navigation, planned
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import ring, teach

#: Five states, three actions, Bernoulli rewards.
MDP = random_mdp(np.random.default_rng(4), n_states=5)


def agent_for(n_states=5, **parameters) -> PSMDPNaS:
    """An agent with seed 0."""
    problem = Problem(n_states=n_states, n_actions=3, discount=0.9, horizon=20_000)
    config, rng = Config(**parameters), np.random.default_rng(0)
    bound = assembly.named(Registry.discover(), config, problem.discount)
    return PSMDPNaS(problem, config, rng, **bound)


def test_with_much_data_it_follows_the_true_optimum():
    """After 10^9 visits of each pair draws differ little: the value of U is the least one."""
    instance, agent = PlannedInstance(mdp=MDP, discount=0.9), agent_for(newest_weight=1.0)
    teach(agent.state.counts, MDP, 10**9)
    exact = planned.u(instance, 19)
    best = navigation.minimise(exact, instance.walk)

    agent.solve()

    assert coefficients.evaluate(exact, agent.allocation) == pytest.approx(best.value, rel=1e-2)


def test_the_bound_is_a_parameter():
    """As published, u0 is followed: its d is one everywhere, that of u is 1 / D^2."""
    followed = {}
    for bound in ("u", "u0"):
        agent = agent_for(bound=bound)
        teach(agent.state.counts, MDP, 1000)
        followed[bound] = agent.target()[0]

    assert (followed["u0"].d == 1.0).all()
    assert (followed["u"].d != 1.0).any()


def test_each_solution_is_from_another_draw():
    """With little data two solutions in a row follow different allocations."""
    agent = agent_for(newest_weight=1.0)
    agent.solve()
    first = agent.allocation

    agent.solve()

    assert np.abs(first - agent.allocation).max() > 1e-3


def test_follows_a_running_average():
    """Two draws at weight 1/4: 9/16 of the even start, 3/16 of the first, 1/4 of the second."""
    alone, averaging = agent_for(newest_weight=1.0), agent_for(newest_weight=0.25)
    drawn = []
    for _ in range(2):
        alone.solve()
        averaging.solve()
        drawn.append(alone.allocation)

    expected = 9 / 16 / 15 + 3 / 16 * drawn[0] + 1 / 4 * drawn[1]
    np.testing.assert_allclose(averaging.allocation, expected, rtol=1e-12)


@pytest.mark.parametrize("rule", ["empirical", "mean"])
def test_recommendation_is_not_of_a_draw(rule):
    """Asking draws nothing: the generator stands still and the answer stays."""
    agent = agent_for(recommendation=rule)
    teach(agent.state.counts, MDP, 3)
    before = agent.rng.bit_generator.state

    first = agent.recommended_policy()

    np.testing.assert_array_equal(agent.recommended_policy(), first)
    assert agent.rng.bit_generator.state == before


def test_rules_of_recommendation_differ_where_data_are_few():
    """One visit that paid nothing: the mean still expects a third, the frequencies nothing."""
    recommended = {}
    for rule in ("empirical", "mean"):
        agent = agent_for(1, recommendation=rule)
        agent.state.counts.visits[0] = [1, 4, 0]
        agent.state.counts.transitions[0, :, 0] = [1, 4, 0]
        agent.state.counts.rewards[0] = [0.0, 1.4, 0.0]
        recommended[rule] = agent.recommend(0)

    # Means 1/3, 2.4/6 and 1/2 with the prior; 0, 0.35 and 0 without.
    assert recommended == {"empirical": 1, "mean": 2}


def test_finds_the_optimal_policy():
    """On a ring of six states the recommendation becomes optimal."""
    agent = agent_for(6)

    Interaction(TabularEnvironment(ring(6)), agent, seed=0).advance(20_000)

    np.testing.assert_array_equal(agent.recommended_policy(), np.zeros(6))


@pytest.mark.parametrize(("key", "value"), [("prior", 0.0), ("gap_floor", 0.0), ("k_max", 20)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})

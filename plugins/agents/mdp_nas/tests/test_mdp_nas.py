"""MDP-NaS: what it follows, and what it learns."""

import numpy as np
import pytest

from mfbpi_agent_mdp_nas.agent import Config, MDPNaS
from mfbpi_core import Interaction, Problem, Registry
from mfbpi_core.errors import ConfigError, NotFoundError
from mfbpi_core.plugins import assembly
from mfbpi_core.testing.worlds.instances import random_mdp
from mfbpi_lib_bounds import coefficients, navigation, planned
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import ring, teach

#: Five states, three actions, Bernoulli rewards.
MDP = random_mdp(np.random.default_rng(4), n_states=5)


def agent_for(n_states=5, **parameters) -> MDPNaS:
    """An agent with seed 0."""
    problem = Problem(n_states=n_states, n_actions=3, discount=0.9, horizon=20_000)
    config, rng = Config(**parameters), np.random.default_rng(0)
    bound = assembly.named(Registry.discover(), config, problem.discount)
    return MDPNaS(problem, config, rng, **bound)


@pytest.mark.parametrize("bound", ["u0", "u"])
def test_with_much_data_it_follows_the_true_optimum(bound):
    """After 10^9 visits of each pair the allocation is the navigation optimum of the instance."""
    instance, agent = PlannedInstance(mdp=MDP, discount=0.9), agent_for(bound=bound)
    teach(agent.state.counts, MDP, 10**9)
    exact = planned.u(instance, 19) if bound == "u" else planned.u0(instance)
    best = navigation.minimise(exact, instance.walk)

    agent.solve()

    # The optimum need not be unique; its value is.
    assert coefficients.evaluate(exact, agent.allocation) == pytest.approx(best.value, rel=1e-4)


def test_model_is_smoothed():
    """Without data, planning sees rewards of zero and every state equally likely."""
    bound, model = agent_for(4, smoothing=2.0).target()

    np.testing.assert_allclose(model.transitions, 0.25)
    assert (model.rewards == 0.0).all()
    assert np.isfinite(bound.c).all()


def test_rules_of_recommendation():
    """Imagined transitions to a rich state make a pair look better than what was seen of it."""
    recommended = {}
    for rule in ("empirical", "smoothed"):
        agent = agent_for(2, recommendation=rule, smoothing=1.0)
        counts = agent.state.counts
        counts.visits[...] = [[2, 40, 40], [40, 40, 40]]
        counts.transitions[0, :, 0], counts.transitions[1, :, 1] = [2, 40, 40], 40
        counts.rewards[...] = [[0.0, 4.0, 0.0], [40.0, 40.0, 40.0]]
        recommended[rule] = agent.recommend(0)

    # From state 0 nothing leads to state 1, but one of four transitions of action 0 is imagined to.
    assert recommended == {"empirical": 1, "smoothed": 0}


def test_finds_the_optimal_policy():
    """On a ring of six states the recommendation becomes optimal."""
    agent = agent_for(6)

    Interaction(TabularEnvironment(ring(6)), agent, seed=0).advance(20_000)

    np.testing.assert_array_equal(agent.recommended_policy(), np.zeros(6))


@pytest.mark.parametrize(("key", "value"), [("smoothing", 0.0), ("gap_floor", 0.0), ("k_max", 0)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})


def test_unknown_bound_is_refused():
    """The message lists the bounds that are installed."""
    with pytest.raises(NotFoundError, match=r"u1.*u_tilde"):
        agent_for(bound="u1")

"""Actions selected and recommended, policies and allocations: exact, or refused by name."""

import numpy as np
import pytest

from mfbpi_core import Interaction, Problem
from mfbpi_core.contracts.recommendation import checked_allocation, checked_policy
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.worlds.doubles import KitAgent
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)


def acting(chosen):
    """An agent that selects and recommends this, at the start of a run."""

    class Odd(KitAgent):
        seen = ()

        def select_action(self, observation):
            return chosen

        def recommend(self, observation):
            return chosen

        def update(self, transition):
            self.seen = (*self.seen, transition)

    agent = Odd(PROBLEM, None, np.random.default_rng(0))
    return Interaction(ModelEnvironment(two_state_chain(), 10), agent, 0)


BAD_ACTIONS = ["1", 1.7, 1.0, True, None, np.float64(1), np.array([1]), 2, -1, np.int64(2)]


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=repr)
def test_actions_must_be_integers_that_exist(action):
    """Text, fractions and booleans are never taken for an action; selected or recommended."""
    run = acting(action)

    with pytest.raises(PluginError, match=r"agent Odd selected .* at step 1, .* from 0 to 1"):
        run.advance(1)
    with pytest.raises(PluginError, match=r"agent Odd recommends .*; expected an integer from 0 t"):
        run.agent.recommended_policy()


@pytest.mark.parametrize("action", [np.int64(1), np.uint8(1), np.array(1)], ids=repr)
def test_integers_of_numpy_are_actions(action):
    """They become Python's before the environment sees them."""
    run = acting(action)

    assert run.advance(3).actions.tolist() == [1, 1, 1]
    assert all(type(seen.action) is int for seen in run.agent.seen)
    assert run.agent.recommended_policy().tolist() == [1, 1]


def test_policies_and_allocations_are_checked():
    """A metric is never handed what is no policy or no allocation."""

    class Odd(KitAgent):
        policy, aim = None, None

        def recommended_policy(self):
            return self.policy

        @property
        def allocation(self):
            return self.aim

    agent = Odd(PROBLEM, None, None)
    assert checked_policy(agent) is checked_allocation(agent) is None
    for bad in ([0.0, 1.0], [0, 2], [0], ["0", "1"], [True, False]):
        agent.policy = np.array(bad)
        with pytest.raises(PluginError, match=r"agent Odd: recommended_policy is .* from 0 to 1"):
            checked_policy(agent)
    for bad in (np.ones((2, 3)), np.full((2, 2), np.nan), "all"):
        agent.aim = bad
        with pytest.raises(PluginError, match=r"agent Odd: allocation is .*shape \(2, 2\)"):
            checked_allocation(agent)
    agent.policy, agent.aim = [0, 1], [[1, 0], [0, 0]]
    assert checked_policy(agent).dtype == np.int64
    assert checked_allocation(agent).dtype == np.float64

"""Tabular agents in a loop of the caller's own: what cannot be is refused, and nothing written."""

import math

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Transition

AGENTS = (
    *("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "psrl", "q_ucb", "q_learning", "fw_bpi"),
    "uniform",
)

#: Of the transition (0, 0, 0.5, 1, False, False), what is given instead and what is said.
WRONG = [
    ({"observation": 5}, "observation 5; expected an integer from 0 to 4"),
    ({"observation": -1}, "observation -1; expected an integer from 0 to 4"),
    ({"observation": 1.0}, r"observation 1\.0; expected an integer from 0 to 4"),
    ({"action": 2}, "action 2; expected an integer from 0 to 1"),
    ({"action": True}, "action True; expected an integer from 0 to 1"),
    ({"next_observation": 10**6}, "next_observation 1000000; expected an integer from 0 to 4"),
    ({"reward": math.nan}, "reward nan; expected a finite number from 0 to 1"),
    ({"reward": 7.0}, r"reward 7\.0; expected a finite number from 0 to 1"),
    ({"reward": "0.5"}, "reward '0.5'; expected a finite number from 0 to 1"),
    ({"terminated": "no"}, "terminated 'no'; expected True or False"),
]

RIGHT = {
    **{"observation": 0, "action": 0, "reward": 0.5, "next_observation": 1},
    **{"terminated": False, "truncated": False},
}


@pytest.fixture(params=AGENTS)
def agent(request):
    """Each tabular agent, on five states and two actions."""
    return mfbpi.make_agent(request.param, mfbpi.make_environment("riverswim"), seed=0)


def test_what_no_step_can_be_is_refused(agent):
    """With what was given and what is expected; nothing is learnt from it."""
    before = agent.state_dict()
    for change, message in WRONG:
        with pytest.raises(mfbpi.UsageError, match=f"the agent is given {message}"):
            agent.update(Transition(**{**RIGHT, **change}))
    after = agent.state_dict()["arrays"]
    for name, array in before["arrays"].items():
        assert np.array_equal(array, after[name], equal_nan=True)

    for ask in (agent.select_action, agent.recommend):
        for state in (5, -1, 10**6, 0.0, None):
            with pytest.raises(mfbpi.UsageError, match=r"expected an integer from 0 to 4"):
                ask(state)


def test_numbers_of_numpy_are_as_good(agent):
    """As environments return them."""
    numbers = {
        **{"observation": np.int32(0), "action": np.array(1), "next_observation": np.uint8(4)},
        **{"reward": np.float32(0.5), "terminated": np.bool_(False)},
    }
    agent.update(Transition(**{**RIGHT, **numbers}))

    assert 0 <= agent.select_action(np.int64(4)) < 2

"""Deep agents kept by a run act, and recommend, as the run has left them."""

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Transition


@pytest.mark.parametrize("agent", ["bsp", "dbmf_bpi"])
def test_kept_agent_acts(agent, tmp_path):
    """Its policy is what it recommends; two copies of it learn on alike."""
    results = mfbpi.run(
        agent,
        mfbpi.environment("slipping_deep_sea", size=4),
        seeds=[3],
        steps=200,
        metrics="deep_sea",
        save_agent=True,
        executor="serial",
        out=tmp_path / "x",
    )
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    policy, first, second = results.policy(seed=3), results.agent(seed=3), results.agent(seed=3)
    observation, _ = env.reset(seed=0)
    assert policy(observation) == first.recommend(observation)
    for _ in range(60):
        assert policy(observation) in (0, 1)
        action = first.select_action(observation)
        assert action == second.select_action(observation)
        following, reward, terminated, truncated, _ = env.step(action)
        taken = Transition(observation, action, reward, following, terminated, truncated)
        first.update(taken)
        second.update(taken)
        ends = terminated or truncated
        observation = env.reset()[0] if ends else np.asarray(following)


def test_policy_needs_the_agent(tmp_path):
    """Observations are arrays: without the agent there is nothing that could recommend."""
    results = mfbpi.run(
        "bsp",
        mfbpi.environment("slipping_deep_sea", size=4),
        seeds=[3],
        steps=100,
        metrics="deep_sea",
        executor="serial",
        out=tmp_path / "x",
    )
    with pytest.raises(mfbpi.UsageError, match="was not kept; run with `save_agent`"):
        results.policy(seed=3)

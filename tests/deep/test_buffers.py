"""What deep agents keep of the real DeepSea: the actions they chose, in little memory."""

import numpy as np
import pytest

from mfbpi.execute.working.stage import Stage
from mfbpi_core import Interaction, Registry
from mfbpi_core.plugins import assembly as build

#: Enough for a standard deviation below 0.003.
STEPS = 20_000


@pytest.fixture
def start(make_tasks):
    """An agent at the start of a run on DeepSea, with its published settings."""

    def make(agent, *settings, **environment):
        chosen = tuple(f"{name}={value}" for name, value in environment.items())
        registry = Registry.discover()
        (task,) = make_tasks(agent, "slipping_deep_sea", settings, chosen, seeds="0")
        stage = Stage.of(registry, task)
        rng = stage.streams.generator("agent")
        return Interaction(
            stage.environment, build.agent(registry, stage.agent, stage.problem, rng), seed=1
        )

    return make


@pytest.mark.parametrize("variant", ["paper", "published"])
@pytest.mark.parametrize("agent", ["dbmf_bpi", "bsp"])
def test_slip_rate_can_be_measured(agent, variant, start):
    """The chosen action is stored, so that 0.05 of the moves are not those that it means."""
    size = 10
    never_learns, acts_uniformly = f"batch_size={STEPS + 1}", "exploration_steps=1e12"
    run = start(agent, never_learns, acts_uniformly, size=size, variant=variant)
    run.advance(STEPS)

    stored = run.agent.learner.lanes[0].replay.columns
    now, following, action = (stored[k][:STEPS].astype(int) for k in ("now", "next", "action"))
    seen = (following < size**2) & (now % size > 0)  # not the last move; left is not into the wall
    now, following, action = now[seen], following[seen], action[seen]
    went_right = following % size > now % size
    meant_right = action == run.environment.right.ravel()[now]

    deviation = np.sqrt(0.05 * 0.95 / now.size)
    assert np.mean(went_right != meant_right) == pytest.approx(0.05, abs=4 * deviation)
    assert deviation < 0.003


@pytest.mark.parametrize("agent", ["dbmf_bpi", "bsp", "bsp2", "ids", "ensemble_ucb"])
def test_a_full_buffer_is_small(agent, start):
    """100,000 transitions of DeepSea 50, whose observations have 2,500 numbers: below 100 MB."""
    run = start(agent, size=50)

    replay = run.agent.learner.lanes[0].replay

    assert replay.capacity == 100_000
    assert replay.nbytes < 4e6

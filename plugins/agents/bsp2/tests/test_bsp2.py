"""BSP2: fresh masks and settings."""

import attrs
import numpy as np
import pytest

from mfbpi_agent_bsp2.agent import BSP2
from mfbpi_agent_bsp2.config import Config, preset
from mfbpi_core import Transition
from mfbpi_lib_torch.testing import array_problem, first_actions


def test_masks_are_drawn_for_each_batch():
    """No mask is stored; each batch has new ones, of which 0.7 are ones."""
    agent = BSP2(array_problem(), Config(), np.random.default_rng(0))
    x = np.zeros(3, dtype=np.float32)
    for _ in range(20):
        agent.update(Transition(x, 0, 0.0, x))
    learner = agent.learner
    first, second = (learner.memory.sample(learner.lanes).mask for _ in range(2))

    assert "mask" not in learner.lanes[0].replay.columns
    assert abs(first.mean().item() - 0.7) < 0.05
    assert not first.equal(second)


def test_published_settings():
    """DeepSea: by its size; elsewhere the defaults, which are CartPole's."""
    sea = attrs.evolve(Config(), **preset(array_problem((20, 20), "slipping_deep_sea")))

    assert (sea.prior_scale, sea.hidden, sea.learning_rate, sea.loss) == (5.0, 32, 1e-3, "huber")
    assert sea.mask_probability == 0.7
    assert preset(array_problem((8,), "cartpole_swingup")) == {}


@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_first_actions_are_those_of_torch(shape):
    """500 steps, between observations drawn at random."""
    first, second = first_actions(BSP2, Config, shape)

    assert len(set(first)) == 2
    assert first == second

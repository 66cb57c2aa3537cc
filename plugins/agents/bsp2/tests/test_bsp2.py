"""BSP2: fresh masks and settings."""

import attrs
import numpy as np

from mfbpi_agent_bsp2.agent import BSP2
from mfbpi_agent_bsp2.config import Config, preset
from mfbpi_core import Problem, Transition


def problem(shape=(3,), environment="") -> Problem:
    """A problem with that observation."""
    return Problem(
        n_states=None,
        n_actions=2,
        observation_shape=shape,
        discount=0.99,
        horizon=100,
        environment=environment,
    )


def test_masks_are_drawn_for_each_batch():
    """No mask is stored; each batch has new ones, of which 0.7 are ones."""
    agent = BSP2(problem(), Config(), np.random.default_rng(0))
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
    sea = attrs.evolve(Config(), **preset(problem((20, 20), "slipping_deep_sea")))

    assert (sea.prior_scale, sea.hidden, sea.learning_rate, sea.loss) == (5.0, 32, 1e-3, "huber")
    assert sea.mask_probability == 0.7
    assert preset(problem((8,), "cartpole_swingup")) == {}

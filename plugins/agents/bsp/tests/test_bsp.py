"""BSP: its masks, its settings, and the shared learner it is."""

import attrs
import numpy as np

from mfbpi_agent_bsp.agent import BSP
from mfbpi_agent_bsp.config import Config, preset
from mfbpi_core import Transition
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.testing import array_problem


def test_masks_are_stored_with_probability_one_half():
    """Each transition gets a mask of its own, once, about half of it ones."""
    agent = BSP(array_problem(), Config(ensemble_size=200), np.random.default_rng(0))
    x = np.zeros(3, dtype=np.float32)
    for _ in range(20):
        agent.update(Transition(x, 0, 0.0, x))
    stored = agent.learner.lanes[0].replay.columns["mask"][:20]

    assert abs(stored.mean() - 0.5) < 0.03
    assert len(np.unique(stored, axis=0)) == 20


def test_targets_are_not_double():
    """BSP takes the maximum of the target copy, and the mean over members recommends."""
    agent = BSP(array_problem(), Config(), np.random.default_rng(0))

    assert isinstance(agent.learner, BootstrappedDQN)
    assert not agent.learner.double
    values = {"q": np.array([[0.0, 1.0], [0.0, 1.0], [9.0, 0.0]])}
    assert agent.learner.recommended(values) == 0


def test_published_settings():
    """DeepSea: by its size; elsewhere the defaults, which are CartPole's."""
    sea = attrs.evolve(Config(), **preset(array_problem((30, 30), "slipping_deep_sea")))

    assert (sea.prior_scale, sea.hidden, sea.learning_rate, sea.loss) == (10.0, 32, 1e-3, "huber")
    assert preset(array_problem((8,), "cartpole_swingup")) == {}
    pole = Config()
    assert (pole.prior_scale, pole.hidden, pole.learning_rate, pole.loss) == (
        3.0,
        50,
        5e-4,
        "squared",
    )
    assert (pole.ensemble_size, pole.batch_size, pole.buffer_size) == (20, 128, 100_000)
    assert (pole.target_period, pole.mask_probability, pole.exploration_steps) == (4, 0.5, 10.0)

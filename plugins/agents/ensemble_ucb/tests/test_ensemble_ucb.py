"""Ensemble UCB: the bound by hand, what it learns from, and settings."""

import attrs
import numpy as np
import pytest

from mfbpi_agent_ensemble_ucb.agent import EnsembleUCB, upper_bound
from mfbpi_agent_ensemble_ucb.config import Config, preset
from mfbpi_lib_torch.testing import array_problem, first_actions


def agent(**parameters) -> EnsembleUCB:
    """An agent with a small ensemble."""
    config = Config(ensemble_size=3, hidden=6, **parameters)
    return EnsembleUCB(array_problem(), config, np.random.default_rng(0))


def test_bound_by_hand():
    """Means 2 and 3, deviations 1 and 0: 2 + 2 and 3 + 0."""
    q = np.array([[1.0, 3.0], [3.0, 3.0]])

    np.testing.assert_allclose(upper_bound(q, 2.0), [4.0, 3.0])


def test_optimism_chooses():
    """The uncertain action with c = 2, the better mean with c = 0; the mean recommends."""
    values = {"q": np.array([[1.0, 3.0], [3.0, 3.0]])}
    for optimism, action in ((2.0, 0), (0.0, 1)):
        learner = agent(optimism=optimism).learner
        assert learner.choose(learner.lanes[0], values) == action
        assert learner.recommended(values) == 1


def test_members_learn_with_double_targets_and_fresh_masks():
    """As those of dbmf_bpi."""
    learner = agent().learner

    assert learner.double
    assert not learner.stores_masks
    assert learner.config.mask_probability == 0.7


def test_settings():
    """DeepSea: by its size, with a learning rate of 1e-3; elsewhere the defaults."""
    sea = attrs.evolve(Config(), **preset(array_problem((30, 30), "slipping_deep_sea")))

    assert (sea.prior_scale, sea.hidden, sea.learning_rate, sea.loss) == (10.0, 32, 1e-3, "huber")
    assert preset(array_problem((8,), "cartpole_swingup")) == {}
    assert Config().optimism == 2.0


@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_first_actions_are_those_of_torch(shape):
    """500 steps, between observations drawn at random."""
    first, second = first_actions(EnsembleUCB, Config, shape)

    assert len(set(first)) == 2
    assert first == second

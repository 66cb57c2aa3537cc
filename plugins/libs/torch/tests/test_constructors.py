"""What constructors make of parameters and priors counts on both paths, and in saved states."""

import attrs
import numpy as np
import pytest

from mfbpi_lib_torch import seeding
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.networks.ensemble import Initial
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.testing import drawn_observation, learnt, plain_learner

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

CELLS, FEATURES = (3, 3), (3,)


class Unmasked(BootstrappedDQN):
    """Knows its parameters better than the caller."""

    def build(self):
        """Every member learns from everything, in larger batches, from a problem of its own."""
        self.config = attrs.evolve(
            self.config, mask_probability=1.0, batch_size=16, ensemble_size=5
        )
        self.problem = attrs.evolve(self.problem, discount=0.5)
        super().build()


def another_prior(learner):
    """Three times as large, and drawn by another rule."""
    generators = [seeding.child(rng) for rng in learner.rngs]
    return Prior(learner.sizes(), Initial(rule="wide_fan_normal"), 3.0, generators, "cpu")


class OtherPrior(BootstrappedDQN):
    """Exchanges a prior."""

    def __init__(self, *args):
        super().__init__(*args)
        self.priors["q"] = another_prior(self)


class OtherPriors(BootstrappedDQN):
    """Exchanges all of them."""

    def __init__(self, *args):
        super().__init__(*args)
        self.priors = {"q": another_prior(self)}


class NoPriors(BootstrappedDQN):
    """Has none any more."""

    def __init__(self, *args):
        super().__init__(*args)
        self.priors = {}


def made(kind, path, shape):
    """A learner of that kind."""
    return plain_learner(path, shape, type("Made", (DeepAgent,), {"learner_type": kind}))


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("kind", [Unmasked, OtherPrior, OtherPriors, NoPriors])
def test_both_paths_follow_the_constructor(kind, shape):
    """Batches, masks, discount and priors are those that it has left."""
    first, second = (learnt(made(kind, path, shape), shape) for path in paths.ALL)
    plain = learnt(plain_learner(paths.TORCH, shape), shape)

    np.testing.assert_allclose(first.q.flat, second.q.flat, rtol=0, atol=1e-5)
    assert first.updates == (25 if kind is Unmasked else 33)
    if kind is not Unmasked:
        assert np.abs(first.q.flat - plain.q.flat).max() > 1e-3


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("kind", [OtherPrior, OtherPriors, NoPriors])
def test_a_state_holds_the_priors_that_there_are(kind, shape, path):
    """A learner of other random numbers that takes it over shows the same values."""
    learner = learnt(made(kind, path, shape), shape)
    other = kind(learner.problem, learner.config, [np.random.default_rng(9)])
    other.load_state_dict(learner.state_dict())
    encoded = other.encoder.encode([drawn_observation(np.random.default_rng(5), shape)])

    assert len(learner.state_dict()["prior_networks"]) == (0 if kind is NoPriors else 1)
    for each, expected in zip(other.prior_networks, learner.priors.values(), strict=True):
        np.testing.assert_array_equal(each.at(encoded), expected.at(encoded))
    expected = learner.values(encoded, learner.memory.priors_at(encoded))["q"]
    found = other.values(encoded, other.memory.priors_at(encoded))["q"]
    np.testing.assert_array_equal(found, expected)


def test_a_prior_that_is_exchanged_is_not_remembered():
    """For features, what a prior says of the last observation is kept for the next step."""
    learner = learnt(plain_learner(paths.TORCH, FEATURES), FEATURES)
    encoded = learner.encoder.encode([drawn_observation(np.random.default_rng(5), FEATURES)])
    learner.memory.priors_at(encoded)
    learner.priors["q"] = another_prior(learner)
    expected = learner.priors["q"].at(encoded)
    np.testing.assert_array_equal(learner.memory.priors_at(encoded)["q"], expected)

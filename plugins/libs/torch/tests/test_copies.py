"""Copies of learners and of their parts are whole, on both paths."""

import copy
import pickle

import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_core.errors import CheckpointError
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import drawn_observation, learnt, plain_learner

COPIES = [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
SHAPES = [(3, 3), (3,)]


class Recent(Replay):
    """Draws from the latest ten alone."""

    def places(self, n):
        """The latest."""
        return (self.added - 1 - self.rng.integers(min(10, len(self)), size=n)) % self.capacity


def acted(learner, shape, steps=40):
    """What it does, learning as it goes."""
    rng, actions = np.random.default_rng(2), []
    for _ in range(steps):
        x, y = drawn_observation(rng, shape), drawn_observation(rng, shape)
        actions += learner.select_actions([x])
        learner.update([Transition(x, actions[-1], rng.random(), y)])
    return actions


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("copied", COPIES)
def test_copies_keep_what_callers_have_set(copied, shape, path):
    """Attributes, replaced parts, and what they share; both go on alike, on their own."""
    made = learnt(plain_learner(path, shape), shape)
    made.note, made.noise = {"seen": [1, 2]}, made.rngs[0]
    made.q.flat *= np.float32(0.5)
    other = copied(made)

    assert other.note == made.note
    assert other.note is not made.note
    assert other.noise is other.rngs[0] is other.lanes[0].rng
    assert other.q is other.networks[0]
    assert acted(other, shape) == acted(made, shape)
    assert other.path == path
    np.testing.assert_array_equal(other.q.flat, made.q.flat)
    acted(other, shape)
    assert not np.array_equal(other.q.flat, made.q.flat)


@pytest.mark.parametrize("copied", COPIES)
def test_copies_keep_replaced_parts(copied):
    """Of a class that learns in torch."""
    made = plain_learner(paths.TORCH, (3,))
    made.lanes[0].replay.__class__ = Recent
    learnt(made, (3,))
    other = copied(made)
    assert type(other.lanes[0].replay) is Recent
    assert acted(other, (3,)) == acted(made, (3,))
    np.testing.assert_array_equal(other.q.flat, made.q.flat)


class Counts(np.random.Generator):
    """A generator of a class of its own."""


@pytest.mark.parametrize("copied", COPIES)
def test_generators_that_would_come_back_as_others_are_refused(copied):
    """numpy copies them as its own, so that nobody could tell."""
    made = plain_learner(paths.TORCH, (3,))
    made.noise = Counts(np.random.PCG64(1))
    with pytest.raises(CheckpointError, match=r"Counts at BootstrappedDQN\.noise"):
        copied(made)


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("copied", COPIES)
def test_snapshots_of_networks_and_priors(copied, shape, path):
    """They show what the original has shown, bit for bit, and stay as they are."""
    made = learnt(plain_learner(path, shape), shape)
    x = made.encoder.encode([drawn_observation(np.random.default_rng(3), shape)])
    shown = made.q.act(x), made.priors["q"].at(x)
    network, prior = copied(made.q), copied(made.priors["q"])
    learnt(made, shape)
    made.priors["q"].flat *= 2
    made.priors["q"].table *= 2

    np.testing.assert_array_equal(network.act(x), shown[0])
    np.testing.assert_array_equal(prior.at(x), shown[1])
    assert not np.array_equal(made.q.act(x), shown[0])
    assert not np.array_equal(made.priors["q"].at(x), shown[1])

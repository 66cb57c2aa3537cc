"""What is exchanged while a learner learns is followed on both paths, by the next update."""

import attrs
import numpy as np
import pytest

from mfbpi_lib_torch.experience.memory import Memory
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN, MemberLane
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.testing import drawn_observation, learnt, plain_learner

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

CELLS, FEATURES = (3, 3), (3,)


class Unpaid(Memory):
    """Forgets rewards."""

    def sample(self, lanes):
        """A batch without any."""
        batch = super().sample(lanes)
        return attrs.evolve(batch, rewards=0 * batch.rewards)


class Clipped(Ensemble):
    """Clips derivatives."""

    def learn(self, seen, d_out):
        """With small ones."""
        super().learn(seen, d_out.clamp(-1e-3, 1e-3))


class Striped(MemberLane):
    """Draws no masks."""

    def mask(self, shape, probability):
        """Every second transition."""
        return np.arange(np.prod(shape)).reshape(shape) % 2 == 0


class Unmoved(BootstrappedDQN):
    """Learns towards zero."""

    def target(self, batch, q):
        """Nothing."""
        return 0 * super().target(batch, q)


def unpay(learner):
    """Another memory."""
    given = (learner.problem, learner.config, learner.encoder, learner.priors, learner.device)
    learner.memory = Unpaid(*given, learner.stores_masks)


def forget_the_future(learner):
    """An evolved one."""
    problem = attrs.evolve(learner.problem, discount=0.1)
    learner.memory = attrs.evolve(learner.memory, problem=problem)


def hide(learner):
    """Other masks and batches."""
    learner.config = attrs.evolve(learner.config, mask_probability=0.2, batch_size=16)
    learner.memory = attrs.evolve(learner.memory, config=learner.config)


def lose(learner):
    """Another loss."""
    learner.config = attrs.evolve(learner.config, loss="huber")


def drop_priors(learner):
    """No priors any more."""
    learner.priors = {}


def halve(learner):
    """Other weights in another array."""
    learner.q.flat = learner.q.flat * np.float32(0.5)


def calm(learner):
    """Other moments."""
    learner.q.first_moment = 0 * learner.q.first_moment
    learner.q.second_moment = 0 * learner.q.second_moment + np.float32(1e-3)


def stop_rows(learner):
    """The first layer learns half as much, by another array."""
    if learner.q.table is not None:
        learner.q.table.learns = learner.q.table.learns / 2


def shift_table(learner):
    """The first layer is another array."""
    if learner.q.table is not None:
        learner.q.table.blocks = learner.q.table.blocks * np.float32(0.5)


def stripe(learner):
    """A method of an object."""
    lane = learner.lanes[0]
    lane.mask = lambda shape, probability: Striped.mask(lane, shape, probability)


def recast_lane(learner):
    """Another class."""
    learner.lanes[0].__class__ = Striped


def recast_network(learner):
    """Another class."""
    learner.q.__class__ = Clipped


def recast_learner(learner):
    """Another class."""
    learner.__class__ = Unmoved


def replace_target(learner):
    """A method of the learner."""
    learner.target = lambda batch, q: 0 * BootstrappedDQN.target(learner, batch, q)


CHANGES = [
    *(unpay, forget_the_future, hide, lose, drop_priors, halve, calm, stop_rows, shift_table),
    *(stripe, recast_lane, recast_network, recast_learner, replace_target),
]


def made(kind, path, shape, **parameters):
    """A learner of that kind on a path."""
    learner = plain_learner(path, shape, type("Made", (DeepAgent,), {"learner_type": kind}))
    config = attrs.evolve(learner.config, **parameters)
    again = kind(learner.problem, config, [np.random.default_rng(0)])
    again.take(path)
    return again


def assert_alike(first, second):
    """All weights and numbers of steps."""
    for found, expected in zip(first.networks, second.networks, strict=True):
        np.testing.assert_allclose(found.flat, expected.flat, rtol=0, atol=1e-5)
        assert found.step == expected.step
        if found.table is not None:
            assert found.table.step == expected.table.step
            np.testing.assert_allclose(found.table.blocks, expected.table.blocks, atol=1e-5)


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("change", CHANGES)
def test_changes_between_updates(change, shape):
    """Actions and weights after it are those of torch, and others than without it."""
    plain = learnt(made(BootstrappedDQN, paths.TORCH, shape, prior_scale=30.0), shape, steps=60)
    both = [made(BootstrappedDQN, path, shape, prior_scale=30.0) for path in paths.ALL]
    encoded = both[0].encoder.encode([drawn_observation(np.random.default_rng(5), shape)])
    values = []
    for learner in both:
        learnt(learner, shape, steps=20)
        change(learner)
        learner.select_actions([drawn_observation(np.random.default_rng(5), shape)])
        values.append(learner.values(encoded, learner.memory.priors_at(encoded))["q"])
        learnt(learner, shape, steps=40)

    np.testing.assert_allclose(*values, rtol=0, atol=1e-4)
    assert_alike(*both)
    if not (shape == FEATURES and change in (stop_rows, shift_table)):
        assert np.abs(both[0].q.flat - plain.q.flat).max() > 1e-4


class Two(BootstrappedDQN):
    """Trains two networks by the same rule, one after the other."""

    def build(self):
        """Both."""
        super().build()
        self.p = self.network(self.sizes(), 1e-2)

    def learn(self, batch):
        """Of the one, then of the other."""
        super().learn(batch)
        self.exchange()
        super().learn(batch)
        self.exchange()

    def learn_compiled(self, replica):
        """The same."""
        super().learn_compiled(replica)
        self.exchange()
        super().learn_compiled(replica)
        self.exchange()

    def exchange(self):
        """Each by the other's name."""
        self.q, self.p = self.p, self.q


class ByTurns(Two):
    """Trains one of two networks by turns."""

    def learn(self, batch):
        """The other one."""
        self.exchange()
        BootstrappedDQN.learn(self, batch)

    def learn_compiled(self, replica):
        """The same."""
        self.exchange()
        BootstrappedDQN.learn_compiled(self, replica)


class OwnRate(BootstrappedDQN):
    """Its first layer learns slowly where it is a table."""

    def build(self):
        """With a rate of its own."""
        super().build()
        if self.q.table is not None:
            self.q.table.rate = self.config.learning_rate / 100


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("kind", [Two, ByTurns, OwnRate])
def test_networks_that_change_names_and_rates_of_tables(kind, shape):
    """Each network takes its own steps, by its own rate."""
    first, second = (learnt(made(kind, path, shape), shape) for path in paths.ALL)

    assert first.path == paths.COMPILED
    assert_alike(first, second)
    fresh = made(kind, paths.TORCH, shape)
    pairs = zip(first.networks, fresh.networks, strict=True)
    moved = [np.abs(a.flat - b.flat).max() for a, b in pairs]
    assert min(moved) > 1e-3
    if kind is OwnRate and shape == CELLS:
        assert np.abs(first.q.table.blocks[:, 0] - fresh.q.table.blocks[:, 0]).max() < 1e-3


def test_what_was_made_is_kept():
    """As long as nothing is exchanged; for as many updates as one likes."""
    learner = learnt(made(Two, paths.COMPILED, CELLS), CELLS)
    before = learner.compiled_replicas[0]
    learnt(learner, CELLS)
    assert learner.compiled_replicas[0] is before
    assert len(before._held) == 2

"""What third parties change: networks, and the parts that compiled functions do themselves."""

import attrs
import numpy as np
import pytest

from mfbpi_core.errors import CheckpointError, UsageError
from mfbpi_lib_torch.experience.memory import Memory
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.networks.rows import RowTable
from mfbpi_lib_torch.testing import learnt, plain_learner

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

CELLS, FEATURES = (3, 3), (3,)


def agent_of(learner):
    """An agent that is one replica of a learner."""
    return type("Made", (DeepAgent,), {"learner_type": learner})


class AnotherFirst(BootstrappedDQN):
    """With a wide network of other sizes before that of the values, which is trained by nobody."""

    def build(self):
        """Both."""
        self.extra = self.network(self.sizes(members=1, outputs=500), 1e-3)
        super().build()


class WithoutTarget(BootstrappedDQN):
    """Learns from its present weights."""

    def build(self):
        """Without a target copy."""
        self.q = self.network(self.sizes(), self.config.learning_rate, target=False)
        self.prior("q")


class WithoutTargetDouble(WithoutTarget):
    """The same with double targets."""

    double = True


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("kind", [AnotherFirst, WithoutTarget, WithoutTargetDouble])
def test_other_networks_learn_alike_on_both_paths(kind, shape):
    """What is trained is the network of that name, and it learns."""
    first, second = (
        learnt(plain_learner(path, shape, agent_of(kind)), shape) for path in paths.ALL
    )
    fresh = plain_learner(paths.TORCH, shape, agent_of(kind))
    assert np.abs(first.q.flat - fresh.q.flat).max() > 1e-3
    for found, expected in zip(first.networks, second.networks, strict=True):
        np.testing.assert_allclose(found.flat, expected.flat, rtol=0, atol=1e-5)
        assert found.step == expected.step
        if found.table is not None:
            np.testing.assert_allclose(found.table.blocks, expected.table.blocks, atol=1e-5)
            assert found.table.step == expected.table.step


def test_a_network_of_nobody_is_not_trained():
    """It would be neither saved nor copied to a target."""
    made, other = (plain_learner(paths.COMPILED, CELLS) for _ in range(2))
    made.q = other.q
    with pytest.raises(UsageError, match="is none of the learner's"):
        learnt(made, CELLS)


class TooMany(BootstrappedDQN):
    """With more members than there are masks."""

    def build(self):
        """Five."""
        self.q = self.network(self.sizes(members=5), self.config.learning_rate)


class TooFew(BootstrappedDQN):
    """With fewer outputs than there are actions."""

    def build(self):
        """One."""
        self.q = self.network(self.sizes(outputs=1), self.config.learning_rate)


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize(
    ("kind", "found"), [(TooMany, "5 members with 2"), (TooFew, "3 members with 1")]
)
def test_values_of_other_sizes_are_refused(kind, found, shape):
    """Compiled functions would read what lies behind masks and outputs."""
    made = plain_learner(paths.COMPILED, shape, agent_of(kind))
    with pytest.raises(UsageError, match=f"{found} outputs.*; expected 3 members.* 2 actions"):
        learnt(made, shape)


class Recent(Replay):
    """Draws from the latest ten alone."""

    def places(self, n):
        """The latest."""
        return (self.added - 1 - self.rng.integers(min(10, len(self)), size=n)) % self.capacity


class Clipped(Ensemble):
    """Clips derivatives."""

    def learn(self, seen, d_out):
        """With small ones."""
        super().learn(seen, d_out.clamp(-1e-3, 1e-3))


class Unpaid(Memory):
    """Forgets rewards."""

    def sample(self, lanes):
        """A batch without any."""
        batch = super().sample(lanes)
        return attrs.evolve(batch, rewards=0 * batch.rewards)


class Halved(Prior):
    """Half as large as it says."""

    def of_rows(self, rows):
        """Half of it."""
        return super().of_rows(rows) / 2


class Forgetful(RowTable):
    """Without moments."""

    def open(self, rows):
        """Forget them."""
        opened = super().open(rows)
        opened.block[:, 1:] = 0
        return opened


def recast(made, kind):
    """The same object, of a subclass of its class."""
    made.__class__ = kind


class RecentLearner(BootstrappedDQN):
    """Replaces what the constructor made."""

    def __init__(self, *args):
        super().__init__(*args)
        recast(self.lanes[0].replay, Recent)


class UnpaidLearner(BootstrappedDQN):
    """The same of the memory."""

    def __init__(self, *args):
        super().__init__(*args)
        given = (self.problem, self.config, self.encoder, self.priors, self.device)
        self.memory = Unpaid(*given, self.stores_masks)


class ClippedLearner(BootstrappedDQN):
    """Replaces what is built."""

    def build(self):
        """Another ensemble."""
        super().build()
        recast(self.q, Clipped)


class HalvedLearner(BootstrappedDQN):
    """The same of the prior."""

    def build(self):
        """Another prior."""
        super().build()
        recast(self.priors["q"], Halved)


class ForgetfulLearner(BootstrappedDQN):
    """The same of the table."""

    def build(self):
        """Another table."""
        super().build()
        recast(self.q.table, Forgetful)


class OwnLearner(BootstrappedDQN):
    """One object has a function of its own."""

    def build(self):
        """An ensemble that forgets to learn."""
        super().build()
        self.q.learn = lambda _seen, _d_out: None


CHANGES = {
    RecentLearner: "Recent.places .* Replay.places",
    UnpaidLearner: "Unpaid.sample .* Memory.sample",
    ClippedLearner: "Clipped.learn .* Ensemble.learn",
    HalvedLearner: "Halved.of_rows .* Prior.of_rows",
    ForgetfulLearner: "Forgetful.open .* RowTable.open",
    OwnLearner: "Ensemble.learn .* Ensemble.learn",
}


@pytest.mark.parametrize("kind", CHANGES)
def test_changes_below_the_learner_are_not_lost(kind):
    """It learns in torch; where it is to be compiled, the change is named."""
    rng, plain = np.random.default_rng(0), plain_learner(paths.COMPILED, CELLS)
    made = kind(plain.problem, plain.config, [rng])
    assert made.path == paths.TORCH
    assert not made.compiled_replicas
    assert learnt(made, CELLS).updates == 33
    with pytest.raises(UsageError, match=rf"cannot be compiled: {CHANGES[kind]}; take 'torch'"):
        made.take(paths.COMPILED)
    with pytest.raises(CheckpointError, match=rf"path 'compiled', .*\({CHANGES[kind]}\)"):
        made.load_state_dict(plain.state_dict())
    made.load_state_dict(made.state_dict())


class Counting(Replay):
    """Adds what compiled functions leave to it."""

    def add(self, **entry):
        """Count the rewards too."""
        super().add(**entry)
        self.paid = getattr(self, "paid", 0) + (entry["reward"] > 0)


class AddingLearner(BootstrappedDQN):
    """With this buffer."""

    def __init__(self, *args):
        super().__init__(*args)
        recast(self.lanes[0].replay, Counting)


def test_what_is_only_added_is_compiled():
    """With the numbers of the class that was extended."""
    made = learnt(plain_learner(paths.COMPILED, CELLS, agent_of(AddingLearner)), CELLS)
    plain = learnt(plain_learner(paths.COMPILED, CELLS), CELLS)
    np.testing.assert_array_equal(made.q.flat, plain.q.flat)
    assert made.lanes[0].replay.paid == 40


class ByReplica(BootstrappedDQN):
    """Presents the values of replicas otherwise."""

    def by_replica(self, values):
        """Half as large again."""
        return super().by_replica(values) * 1.5


def test_values_that_are_presented_otherwise_are_learned_in_torch():
    """Compiled functions take them as the networks give them."""
    plain = plain_learner(paths.COMPILED, CELLS)
    made = ByReplica(plain.problem, plain.config, [np.random.default_rng(0)])
    assert made.path == paths.TORCH
    with pytest.raises(UsageError, match=r"ByReplica\.by_replica"):
        made.take(paths.COMPILED)

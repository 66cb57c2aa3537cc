"""Parts of a learner that are replaced while it learns: compiled functions hold the ones before."""

import numpy as np
import pytest

from mfbpi_lib_torch import seeding
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.testing import learnt, plain_learner

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

CELLS, FEATURES = (3, 3), (3,)


class Growing(Replay):
    """Makes room where it is full."""

    def add(self, **entry):
        """With twice as many places."""
        if self.added == self.capacity:
            self.capacity *= 2
            self.columns = {k: np.concatenate([c, 0 * c]) for k, c in self.columns.items()}
        super().add(**entry)


class Grows(BootstrappedDQN):
    """Behind the end of its first columns lies other memory."""

    def _replay(self, rng):
        """Ten places."""
        largest = self.memory.largest()
        return Growing(10, self.memory.columns(), seeding.child(rng), largest)


class Forgets(BootstrappedDQN):
    """Begins anew now and then, with a buffer of its own."""

    def renewal_is_due(self, lane):
        """Every 14 steps."""
        return lane.steps % 14 == 0

    def renew(self, lane):
        """Nothing is left."""
        if lane.steps:
            lane.replay = self._replay(lane.rng)


class Reseeds(Forgets):
    """The same of its random numbers."""

    def renew(self, lane):
        """By the step."""
        lane.replay.rng = np.random.default_rng(lane.steps)


class Resets(Forgets):
    """The same of its network."""

    def renew(self, lane):
        """With new weights."""
        if lane.steps:
            self.networks.clear()
            self.q = self.network(self.sizes(), self.config.learning_rate)


@pytest.mark.parametrize("shape", [CELLS, FEATURES])
@pytest.mark.parametrize("kind", [Grows, Forgets, Reseeds, Resets])
def test_both_paths_learn_from_what_is_there_now(kind, shape):
    """Or compiled functions would go on with what was there before, and beyond its end."""
    agent = type("Made", (DeepAgent,), {"learner_type": kind})
    first, second = (learnt(plain_learner(path, shape, agent), shape) for path in paths.ALL)

    assert first.path == paths.COMPILED
    np.testing.assert_allclose(first.q.flat, second.q.flat, rtol=0, atol=1e-5)
    if first.q.table is not None:
        np.testing.assert_allclose(first.q.table.blocks, second.q.table.blocks, atol=1e-5)

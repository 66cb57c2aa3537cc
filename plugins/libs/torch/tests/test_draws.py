"""Compiled functions draw what numpy draws, and leave its generators where numpy would."""

import copy

import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels import batches
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.kernels.held import hold
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.testing import Plain, array_problem, drawn_observation, small_learner

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

BITS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.3, 0.7, 1.0 - 1e-9])
def test_masks(bits, probability):
    """The same truths, and the same number next; an odd number of them leaves half a word over."""
    ours, numpys = (np.random.Generator(bits(3)) for _ in range(2))
    mask = np.zeros((3, 7), dtype=np.bool_)
    for _ in range(5):
        batches.draw_mask(hold(batches.Masks(ours, mask)), probability)
        lane = Lane(numpys, Replay(1, {}, numpys))
        np.testing.assert_array_equal(mask, lane.mask(mask.shape, probability))
    assert ours.random() == numpys.random()


@pytest.mark.parametrize("count", [1, 2, 3, 8, 128, 1000, 99_999])
@pytest.mark.parametrize("shape", [(3,), (3, 3)])
def test_places(count, shape):
    """Of a buffer as full as that, whatever its number of transitions."""
    config = DeepConfig(ensemble_size=2, hidden=2, batch_size=7, mask_probability=1.0)
    learner = small_learner(Plain, config, paths.COMPILED, shape)
    replay, replica = learner.lanes[0].replay, learner.compiled_replicas[0]
    replay.added = count
    state = copy.deepcopy(replay.rng.bit_generator.state)
    expected = [replay.places(7) for _ in range(5)]
    following = replay.rng.random()
    replay.rng.bit_generator.state = state

    rewards = replay.columns["reward"]
    rewards[:] = np.arange(rewards.size)
    for places in expected:
        replica.draw()
        np.testing.assert_array_equal(replica.batch.rewards, places)
    assert replay.rng.random() == following


class Counts(np.random.Generator):
    """A generator of a class of its own, as those have it that count what is drawn."""


def test_generators_that_compiled_code_does_not_know_draw_from_outside():
    """The same masks as those of a plain one."""
    masks = []
    for kind in (np.random.Generator, Counts):
        config = DeepConfig(ensemble_size=3, hidden=6, batch_size=8)
        rng = kind(np.random.PCG64(5))
        learner = BootstrappedDQN(array_problem(), config, [rng])
        drawn = np.random.default_rng(1)
        for _ in range(20):
            x, y = drawn_observation(drawn, (3,)), drawn_observation(drawn, (3,))
            learner.memory.store(learner.lanes, [Transition(x, 0, 0.0, y)])
        for _ in range(5):
            learner.compiled_replicas[0].draw()
            masks.append(learner.compiled_replicas[0].batch.mask.copy())
    np.testing.assert_array_equal(masks[:5], masks[5:])

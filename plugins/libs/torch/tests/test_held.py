"""Tuples that compiled functions hold, and generators that several agents draw from."""

import enum
import threading
from typing import NamedTuple

import numpy as np
import pytest

from mfbpi_lib_torch.kernels import held
from mfbpi_lib_torch.kernels.compiling import available, compiled
from mfbpi_lib_torch.kernels.parts import Batch
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN

pytestmark = pytest.mark.skipif(not available(), reason="nothing is compiled")


class Kind(enum.Enum):
    """An enumeration of another package."""

    A = 1


class Others(NamedTuple):
    """A tuple of another package."""

    numbers: np.ndarray
    batch: Batch


@compiled
def total(others):
    """The sum of what is held."""
    numbers, batch = others.content
    return numbers.sum() + batch.rewards.sum()


def test_types_of_others_are_not_kept_with_ours(make_learner, small_sea):
    """numba's file could not be read by anybody once their package is gone."""
    batch = make_learner(small_sea()).compiled_replicas[0].batch
    known = list(held._hold_ours.signatures)
    for content in (
        Others(np.ones(3), batch),
        (Others(np.ones(3), batch),),
        (held.hold(Others(np.ones(3), batch)),),
        (np.ones(3), Kind.A),
    ):
        made = held.hold(content)
        assert made is not None
    assert held._hold_ours.signatures == known
    assert total(held.hold(Others(np.ones(3), batch))) == 3.0

    held.hold((np.ones(2), 1.0, batch))
    assert len(held._hold_ours.signatures) == len(known) + 1


def test_masks_wait_for_whoever_draws(make_learner, small_sea):
    """numpy locks a generator while it draws from it; so do compiled functions."""
    learner = make_learner(small_sea(), mask_probability=0.5)
    learner.lanes[0].replay.add(now=0, next=1, action=0, reward=0.0, terminated=False)
    drawing = threading.Thread(target=learner.compiled_replicas[0].draw)
    with learner.lanes[0].rng.bit_generator.lock:
        before = learner.lanes[0].rng.bit_generator.state
        drawing.start()
        drawing.join(timeout=0.3)
        assert drawing.is_alive()
        assert learner.lanes[0].rng.bit_generator.state == before
    drawing.join()
    assert learner.lanes[0].rng.bit_generator.state != before


class Gentle(BootstrappedDQN):
    """Huber's loss, said by the rule alone."""

    def rule(self):
        """As configured, but for the loss."""
        return super().rule()._replace(huber=True)


def test_a_rule_that_is_changed_counts(make_learner, small_sea):
    """A class that changes it learns in torch, by the rule."""
    learners = [
        make_learner(small_sea(), learner=Gentle, loss="squared"),
        make_learner(small_sea(), loss="huber"),
    ]
    learners[1].take("torch")
    for learner in learners:
        for n in range(40):
            learner.lanes[0].replay.add(
                now=n % 16, next=n % 15, action=n % 2, reward=5.0 * n, terminated=n % 4 == 0
            )
        learner.learn(learner.memory.sample(learner.lanes))
    assert np.array_equal(learners[0].q.flat, learners[1].q.flat)

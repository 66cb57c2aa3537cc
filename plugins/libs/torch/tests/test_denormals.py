"""Denormals are taken for zero inside an update, and by nothing else."""

import signal

import numpy as np
import pytest
import torch

from mfbpi_core import Transition
from mfbpi_lib_torch import denormals

SMALL = np.float32(1e-38)


def halved() -> float:
    """A product below the normal range."""
    return float(SMALL * np.float32(0.01))


@pytest.fixture
def restored():
    """What holds outside of the test."""
    before = denormals.flushed()
    yield
    torch.set_flush_denormal(before)


def test_flushing_ends(restored):
    """Zero inside, what it was outside, after an error too; inside of another one nothing ends."""
    torch.set_flush_denormal(False)
    assert halved() > 0.0
    seen = []

    def fail() -> None:
        seen.append(halved())
        raise AssertionError

    def nest() -> None:
        denormals.flushing(lambda: None)
        seen.append(halved())

    with pytest.raises(AssertionError):
        denormals.flushing(fail)
    assert halved() > 0.0
    denormals.flushing(nest)
    assert halved() > 0.0
    assert seen == [0.0, 0.0]


def test_interrupts_do_not_leave_it_behind(restored):
    """Wherever Ctrl-C comes: two hundred of them, each after a time drawn at random."""
    torch.set_flush_denormal(False)
    rng, denormals_after = np.random.default_rng(0), []
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-3 * rng.random())
                while True:
                    denormals.flushing(lambda: None)
            except KeyboardInterrupt:
                denormals_after.append(halved())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert min(denormals_after) > 0.0


def test_updates_flush(restored, make_learner, small_sea, monkeypatch):
    """In the middle of an update denormals are zero; afterwards they are numbers again."""
    torch.set_flush_denormal(False)
    learner = make_learner(small_sea(), batch_size=1)
    seen = []
    monkeypatch.setattr(learner, "_learn", lambda: seen.append(halved()))
    observation, _ = small_sea().reset(seed=0)

    learner.update([Transition(observation, 0, 0.0, observation)])

    assert seen == [0.0]
    assert halved() > 0.0

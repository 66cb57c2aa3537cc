"""Arrays that torch shares the memory of, and torch itself, imported late."""

import copy
import pickle
from typing import ClassVar

import cloudpickle
import numpy as np
import pytest
import torch

from mfbpi_core.errors import CheckpointError
from mfbpi_lib_torch import late
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import drawn_observation, learnt, plain_learner

PATHS = [path for path in paths.ALL if path == paths.TORCH or available()]
SHAPES = [(3, 3), (3,)]  # a cell, or features


def test_torch_is_pickled_by_its_name():
    """A class of a notebook that uses it can be sent to workers, whatever it was asked for."""
    assert late.torch.ops.aten is torch.ops.aten
    for copied in (copy.copy, copy.deepcopy, lambda x: cloudpickle.loads(cloudpickle.dumps(x))):
        assert copied(late.torch) is late.torch


@pytest.mark.parametrize("shape", SHAPES)
def test_modes_of_torch_are_the_callers(shape):
    """Asked for advice under inference_mode, or another default device, it learns all the same."""
    made = plain_learner(paths.TORCH, shape)
    with torch.inference_mode():
        made.recommend(drawn_observation(np.random.default_rng(0), shape))
    torch.set_default_device("meta")
    try:
        learnt(made, shape)
    finally:
        torch.set_default_device(None)
    expected = learnt(plain_learner(paths.TORCH, shape), shape)
    np.testing.assert_array_equal(made.q.flat, expected.q.flat)


@pytest.mark.parametrize("shape", SHAPES)
def test_copies_of_networks_are_whole(shape):
    """What torch sees of a copy is the copy's own memory."""
    made = learnt(plain_learner(paths.TORCH, shape), shape).q
    for copied in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        copied.layers.flat.add_(1.0)
        np.testing.assert_array_equal(copied.flat, made.flat + np.float32(1.0))


def as_tensors(state):
    """A state as versions before had it."""
    if isinstance(state, dict):
        return {name: as_tensors(value) for name, value in state.items()}
    if isinstance(state, list):
        return [as_tensors(value) for value in state]
    whole = isinstance(state, np.ndarray) and state.dtype == np.float32
    return torch.from_numpy(state) if whole else state


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_states_of_tensors_load(path, shape):
    """The weights of an agent that was pickled before they were arrays."""
    saved, fresh = learnt(plain_learner(path, shape), shape), plain_learner(path, shape)
    fresh.load_state_dict(as_tensors(saved.state_dict()))
    np.testing.assert_equal(fresh.state_dict(), saved.state_dict())


class Remembers(Lane):
    """A replica with a tensor of its own, of a type that numpy does not have."""

    saved: ClassVar[tuple[str, ...]] = (*Lane.saved, "seen")

    def __init__(self, rng, replay) -> None:
        super().__init__(rng, replay)
        self.seen = torch.zeros(2, dtype=torch.bfloat16)


def test_tensors_of_a_plugin_are_saved():
    """As arrays, in a type that holds them, and restored in their own."""
    replay = Replay(3, {}, np.random.default_rng(0))
    first, second = (Remembers(np.random.default_rng(0), replay) for _ in range(2))
    first.seen += 1.5
    second.load_state_dict(first.state_dict())
    assert second.seen.dtype == torch.bfloat16
    assert second.seen.tolist() == [1.5, 1.5]


def changed(state, name, wrong):
    """A state with other numbers in a column of its replay buffer, or of its table."""
    forged = copy.deepcopy(state)
    place = forged["lanes"][0]["replay"]["columns"]
    if name not in place:
        place = forged["networks"][0]["table"]
    place[name] = wrong(place[name])
    return forged


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("reward", lambda x: x.astype(complex)),
        ("reward", lambda x: x.astype("U8")),
        ("reward", lambda x: x.astype(object)),
        ("age", lambda x: np.full_like(x, np.iinfo(x.dtype).max)),
        ("age", lambda x: np.full_like(x, -1)),
    ],
)
def test_columns_of_other_kinds_are_refused(name, wrong):
    """With what was found; numbers of steps are counts."""
    made = learnt(plain_learner(paths.TORCH, (3, 3)), (3, 3))
    with pytest.raises(CheckpointError, match=r"expected (float32|0 to)"):
        made.load_state_dict(changed(made.state_dict(), name, wrong))

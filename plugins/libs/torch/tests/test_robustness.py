"""What third parties and those who call an agent themselves run into."""

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_core.errors import CheckpointError, ConfigError, UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN, MemberLane
from mfbpi_lib_torch.testing import learnt, plain_learner

compiles = pytest.mark.skipif(not available(), reason="numba is not installed")

CELLS, FEATURES = (3, 3), (3,)


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("shape", [CELLS, FEATURES])
def test_a_learner_goes_when_nobody_needs_it(path, shape):
    """At once: one after the other, learners and their replay buffers would pile up else."""
    made = learnt(plain_learner(path, shape), shape)
    gone = weakref.ref(made)
    gc.collect()
    gc.disable()
    try:
        del made
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("kind", [np.float16, ">f4", ">f8", np.longdouble, np.int8, np.bool_])
def test_cells_are_read_from_any_numbers(path, kind):
    """As from those of float32, whose cell is 5 here."""
    shown = np.zeros(CELLS, dtype=kind)
    shown[1, 2] = 1
    assert plain_learner(path, CELLS).encoder.encode([shown]).tolist() == [5]


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize(("shape", "other"), [(CELLS, (40, 40)), (CELLS, (2, 2)), (FEATURES, (1,))])
def test_observations_of_other_sizes_are_refused(path, shape, other):
    """A larger one names a cell that there is not; of a smaller one, what follows would be read."""
    made, shown = plain_learner(path, shape), np.zeros(other, np.float32)
    shown.flat[-1] = 1.0
    with pytest.raises(ConfigError, match=f"has {shown.size} numbers; expected"):
        made.update([Transition(shown, 0, 0.0, shown)])
    with pytest.raises(ConfigError, match=f"has {shown.size} numbers; expected"):
        made.recommend(shown)


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("action", [-3, 2, 30_000, 1.7, np.nan])
def test_actions_that_there_are_not_are_refused(path, action):
    """There are two; nothing is stored."""
    made, x = plain_learner(path, FEATURES), np.ones(3, np.float32)
    with pytest.raises(UsageError, match="expected one of 0 to 1"):
        made.update([Transition(x, action, 0.0, x)])
    assert len(made.lanes[0].replay) == 0


def test_columns_that_hide_numbers_are_looked_at_whole():
    """The largest entry of a masked array is the largest that it shows."""
    made = learnt(plain_learner(paths.ALL[0], CELLS), CELLS)
    state = made.state_dict()
    columns = state["lanes"][0]["replay"]["columns"]
    forged = columns["now"].copy()
    forged[3] = 10**6
    columns["now"] = np.ma.masked_array(forged, mask=forged == 10**6)
    with pytest.raises(CheckpointError, match="other numbers for 'now'"):
        made.load_state_dict(state)


def test_a_learning_rate_stays():
    """Rows of a table catch up by it with many steps at once."""
    with pytest.raises(AttributeError):
        plain_learner(paths.ALL[0], CELLS).q.rate = 0.1


class Slower(BootstrappedDQN):
    """Divides the loss by what has been learnt so far."""

    @property
    def loss_divisor(self):
        """Grows."""
        return 1.0 + self.updates


class Thirds(MemberLane):
    """Masks of its own."""

    def mask(self, shape, probability):
        """Two of three, whatever the probability."""
        return self.rng.integers(3, size=shape) > 0


class OtherMasks(BootstrappedDQN):
    """A learner with these masks."""

    def lane(self, rng, replay) -> Lane:
        """A replica with them."""
        return Thirds(rng, replay, self.config.ensemble_size)


@compiles
def test_what_compiled_functions_ask_once_is_not_changed_below_them():
    """A subclass that changes it takes the path of torch; masks are asked for at every update."""

    class Made(DeepAgent):
        learner_type = Slower

    class Masked(DeepAgent):
        learner_type = OtherMasks

    problem = plain_learner(paths.TORCH, FEATURES).problem
    config = DeepConfig(ensemble_size=3, hidden=6, batch_size=8)
    assert Made(problem, config, np.random.default_rng(0)).learner.path == paths.TORCH
    assert Masked(problem, config, np.random.default_rng(0)).learner.path == paths.COMPILED
    weights = [learnt(plain_learner(path, FEATURES, Masked), FEATURES).q.flat for path in paths.ALL]
    np.testing.assert_allclose(*weights, rtol=1e-4, atol=1e-6)


WITHOUT_JIT = """
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import Plain, learnt, plain_learner
FEATURES = (3,)
made = plain_learner(paths.TORCH, FEATURES)
again = Plain(made.problem, made.config, made.rngs[0]).learner
print(again.path, learnt(again, FEATURES).updates)
"""


def test_without_compilation_torch_learns():
    """NUMBA_DISABLE_JIT=1 is for those who look for a fault."""
    here = Path(__file__).parent
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", WITHOUT_JIT]
    done = subprocess.run(
        command, env=environment, cwd=here, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["torch", "33"], done.stderr

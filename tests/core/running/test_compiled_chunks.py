"""What a compiled driver did is checked before metrics see it."""

import numpy as np
import pytest

from mfbpi_core import Interaction, Problem, Transitions
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.worlds.doubles import KitAgent
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain

PROBLEM = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1_000)


class Rolled(KitAgent):
    """Returns a chunk that was made in advance."""

    chunk = None

    def advance(self, simulator, n_steps):
        """The chunk."""
        return self.chunk


class Simulated(ModelEnvironment):
    """Has a simulator."""

    simulator = object()
    observation = 0


def chunk_with(**changed):
    """Three good steps, but for one column."""
    good = {
        "observations": np.array([0, 1, 0]),
        "actions": np.array([1, 1, 0]),
        "rewards": np.array([0.0, 1.0, 1.0 + 1e-12]),
        "next_observations": np.array([1, 0, 1]),
        "terminated": np.zeros(3, bool),
        "truncated": np.zeros(3, bool),
    }
    return Transitions(start=0, **{**good, **changed})


def compiled(chunk):
    """An agent whose compiled driver made this chunk."""
    environment = Simulated(two_state_chain(), 10)
    agent = Rolled(PROBLEM, None, np.random.default_rng(0))
    agent.chunk = chunk
    return Interaction(environment, agent, 0)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"rewards": np.array([0.0, np.nan, 1.0])}, "at step 2, observation .*1.*, action 1: rew"),
        ({"rewards": np.array([0.0, 0.0, 1.1])}, "at step 3, .*, action 0: reward .*1.1"),
        ({"next_observations": np.array([1, 2, 0])}, r"at step 2, .* observation .*2.*from 0 to 1"),
        ({"observations": np.array([-1, 1, 0])}, r"at step 1, .* observation .*-1.*from 0 to 1"),
        ({"next_observations": np.array([1.0, 0.0, 1.0])}, "at step 1, .* observation .*1.0"),
        ({"rewards": np.zeros(2)}, "advance took 3 steps, with columns of"),
    ],
)
def test_compiled_steps_are_checked(changed, says):
    """What a simulator did is checked before metrics see it, and the first bad step is named."""
    with pytest.raises(PluginError, match=says):
        compiled(chunk_with(**changed)).advance(3)


def test_compiled_steps_within_their_ranges_are_taken():
    """Small integers too."""
    assert len(compiled(chunk_with()).advance(3)) == 3
    small = chunk_with(next_observations=np.array([1, 0, 1], np.int32))
    assert len(compiled(small).advance(3)) == 3


def test_compiled_driver_takes_the_steps_asked_for():
    """Neither more nor fewer."""
    with pytest.raises(PluginError, match=r"agent Rolled: advance took 3 steps, .*; expected 5"):
        compiled(chunk_with()).advance(5)

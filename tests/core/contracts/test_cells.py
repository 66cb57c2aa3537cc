"""Cells that an environment indexes wrongly: refused, since counts would be of something else."""

import numpy as np
import pytest

from mfbpi_core import Cells, Metric, Problem
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.errors import PluginError
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain


class Counted(Metric):
    """Asks for the cells of a chunk."""

    def measure(self, snapshot):
        """Nothing."""
        return {}


def visited(index):
    """The cells of three steps, where the environment finds them like this."""

    class Indexed(ModelEnvironment):
        @property
        def cells(self):
            return Cells(count=2, index=index)

    problem = Problem(n_states=2, n_actions=2, discount=0.9, horizon=10)
    environment = Indexed(two_state_chain(), 10)
    steps = [Transition(s, 0, 0.0, 1, False, False) for s in (0, 1, 1)]
    metric = Counted(problem, environment, None, np.random.default_rng(0))
    return metric.visited_cells(Transitions.from_steps(0, steps))


def test_cells_of_each_step():
    """One for each observation; a list will do."""
    assert visited(lambda states: states).tolist() == [0, 1, 1]
    assert visited(lambda states: [1, 0, 0]).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "index",
    [
        lambda states: states[:1],
        lambda states: states[:, None],
        lambda states: 0,
        lambda states: states / 2,
        lambda states: states == 1,
        lambda states: None,
    ],
)
def test_fewer_or_other_cells_are_refused(index):
    """One number for all steps would be counted as one step."""
    with pytest.raises(PluginError, match=r"the cells of 3 observations are .* expected one"):
        visited(index)

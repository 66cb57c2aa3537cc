"""Which states of a tabular model exploration is counted over."""

from __future__ import annotations

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_lib_tabular.models.environment import TabularEnvironment


def chain(initial: list[float], terminal: list[int]) -> TabularEnvironment:
    """States 0 and 1 lead to each other or to 2, 3 to itself; nothing leads to 3."""
    p = np.zeros((4, 2, 4))
    p[0, :, 1] = p[1, 0, 0] = p[1, 1, 2] = p[2, :, 2] = p[3, :, 3] = 1.0
    ends = np.isin(np.arange(4), terminal)
    mdp = TabularMDP.from_dense(p, np.zeros((4, 2)), initial=np.array(initial), terminal=ends)
    return TabularEnvironment(mdp)


@pytest.mark.filterwarnings("ignore:with probability 0.5 an episode begins in the terminal")
@pytest.mark.parametrize(
    ("initial", "terminal", "expected"),
    [
        ([1, 0, 0, 0], [], [True, True, True, False]),
        ([1, 0, 0, 0], [2], [True, True, False, False]),
        ([0.5, 0, 0, 0.5], [2], [True, True, False, True]),
        ([0.5, 0, 0.5, 0], [2], [True, True, True, False]),  # a run may begin there, and acts
    ],
)
def test_cells_are_the_states_in_which_a_walk_acts(
    initial: list[float], terminal: list[int], expected: list[bool]
) -> None:
    """Terminal states are entered, and no action is taken there."""
    cells = chain(initial, terminal).cells

    assert cells.count == 4
    assert cells.reachable is not None
    assert cells.reachable.tolist() == expected

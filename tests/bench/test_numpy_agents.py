"""The agents in plain numpy, which the benchmarks are measured against, are the compiled ones."""

from typing import Any

import numpy as np
import pytest

from mfbpi_agent_mf_bpi import agent as mf_bpi
from mfbpi_agent_q_learning import agent as q_learning
from mfbpi_core import Interaction, Problem, Streams, TabularMDP
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import ring
from tests.bench.numpy_mf_bpi import NumpyMFBPI
from tests.bench.numpy_q_learning import NumpyQLearning

STEPS = 3000


def rooms() -> TabularMDP:
    """Five random rooms; the last ends the episode."""
    rng = np.random.default_rng(7)
    return TabularMDP.from_dense(
        rng.dirichlet(np.full(5, 0.5), size=(5, 3)),
        rng.uniform(size=(5, 3)) * (np.arange(5) < 4)[:, None],
        reward_law="bernoulli",
        terminal=np.arange(5) == 4,
    )


@pytest.mark.parametrize(
    ("factories", "config", "mdp"),
    [
        ((mf_bpi.MFBPI, NumpyMFBPI), mf_bpi.Config(), ring(6)),
        ((q_learning.QLearning, NumpyQLearning), q_learning.Config(), rooms()),
    ],
    ids=["mf_bpi", "q_learning"],
)
def test_takes_the_same_actions(factories: tuple[Any, Any], config: Any, mdp: TabularMDP) -> None:
    """Step for step, from one seed."""
    sizes = {"n_states": mdp.n_states, "n_actions": mdp.n_actions}
    problem = Problem(**sizes, discount=0.99, horizon=STEPS)

    actions = []
    for factory in factories:
        agent = factory(problem, config, Streams(3).generator("agent"))
        steps = Interaction(TabularEnvironment(mdp, 50), agent, seed=3).advance(STEPS)
        actions.append(steps.actions)

    np.testing.assert_array_equal(*actions)

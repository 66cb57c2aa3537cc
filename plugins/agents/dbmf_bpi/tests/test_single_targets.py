"""DBMF-BPI where the target's action is the target copy's: gaps still need values at s'."""

import pytest

from mfbpi_agent_dbmf_bpi.agent import DBMFBPI, DBMFBPILearner
from mfbpi_agent_dbmf_bpi.config import Config
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import learnt, small_learner


class Single(DBMFBPILearner):
    """Without double targets."""

    double = False


class SingleAgent(DBMFBPI):
    """The same as an agent."""

    learner_type = Single


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("moments", ["learned", "constant"])
@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_the_first_gap_is_that_of_double_targets(shape, moments, path):
    """It is measured before the step, at every s'; with two actions, single targets differ."""
    config = Config(ensemble_size=3, hidden=6, batch_size=8, moments=moments)
    single, double = (small_learner(agent, config, path, shape) for agent in (SingleAgent, DBMFBPI))
    for learner in (single, double):
        learnt(learner, shape, steps=8)
    assert single.updates == 1
    assert single.lanes[0].smallest_gap == double.lanes[0].smallest_gap


@pytest.mark.parametrize("moments", ["learned", "constant"])
@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_both_paths_know_the_same_gap(shape, moments):
    """After 33 updates, as all weights."""
    config = Config(ensemble_size=3, hidden=6, batch_size=8, moments=moments)
    first, second = (
        learnt(small_learner(SingleAgent, config, path, shape), shape) for path in paths.ALL
    )
    assert first.lanes[0].smallest_gap == pytest.approx(second.lanes[0].smallest_gap, rel=1e-4)
    for found, expected in zip(first.networks, second.networks, strict=True):
        assert found.flat == pytest.approx(expected.flat, abs=1e-5)

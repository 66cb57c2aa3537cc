"""Next to a discount of 1 a certified bound depends on the problem, not on how it is written."""

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds import generative, planned
from mfbpi_lib_bounds.instance import PlannedInstance

N_STATES, N_ACTIONS, N_SLOTS = 6, 2, 3


def _arrays(seed):
    """Successors, probabilities and mean rewards of a random instance."""
    rng = np.random.default_rng(seed)
    shape = N_STATES, N_ACTIONS, N_SLOTS
    successors = np.stack(
        [rng.permutation(N_STATES)[:N_SLOTS] for _ in range(N_STATES * N_ACTIONS)]
    ).reshape(shape)
    successors[:, :, 0] = (np.arange(N_STATES)[:, None] + 1) % N_STATES
    return successors, rng.dirichlet(np.ones(N_SLOTS), size=shape[:2]), rng.random(shape[:2])


def _split(successors, probabilities, rewards):
    """The first slot of every pair as two, of seven and three tenths."""
    first = probabilities[:, :, :1]
    parts = [0.7 * first, first - 0.7 * first, probabilities[:, :, 1:]]
    return (
        np.concatenate([successors[:, :, :1], successors], axis=2),
        np.concatenate(parts, axis=2),
        rewards,
    )


def _permuted(successors, probabilities, rewards):
    """The states under other numbers."""
    order = np.random.default_rng(5).permutation(N_STATES)
    place = np.argsort(order)
    return place[successors[order]], probabilities[order], rewards[order]


def _shifted(successors, probabilities, rewards):
    """A quarter added to every reward: V rises by that over 1 - gamma, and gaps stay."""
    return successors, probabilities, rewards + 0.25


def _bound(arrays, discount):
    mdp = TabularMDP.from_successors(*arrays, reward_range=(0.0, 2.0))
    instance = PlannedInstance(mdp=mdp, discount=discount)
    assert instance.tie_reason() == ""
    return generative.minimise(planned.u(instance, 3)), instance.separation.gap_error


@pytest.mark.parametrize("change", [_split, _permuted, _shifted])
@pytest.mark.parametrize("discount", [1.0 - 1e-6, 1.0 - 1e-8])
def test_values_do_not_depend_on_how_an_instance_is_written(discount, change):
    """To 1e-9, ten random instances."""
    for seed in range(10):
        arrays = _arrays(seed)

        found, _ = _bound(arrays, discount)
        again, error = _bound(change(*arrays), discount)

        assert again.value == pytest.approx(found.value, rel=1e-9)
        assert error < 1e-9

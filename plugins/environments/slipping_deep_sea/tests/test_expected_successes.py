"""How many successes an optimal policy has in expectation, from the law of the model."""

import numpy as np
import pytest

from mfbpi_env_slipping_deep_sea.environment import Config, SlippingDeepSea
from mfbpi_env_slipping_deep_sea.model import optimal_values


def _success_probability(sea: SlippingDeepSea) -> float:
    """Probability that an episode of a return-optimal policy is paid the large reward; exact.

    The law of the model, weight by weight from the first cell down, where the policy takes the
    better action of V(s) = max_a r(s, a) + E V(s').
    """
    mdp, values = sea.model, optimal_values(sea.model)
    backup = mdp.mean_rewards + np.einsum("sak,sak->sa", mdp.probabilities, values[mdp.successors])
    law = np.arange(mdp.n_states), backup.argmax(axis=1)
    arrivals, paid = mdp.initial.copy(), 0.0
    for s in np.flatnonzero(~mdp.terminal):
        weights = arrivals[s] * mdp.probabilities[law][s]
        np.add.at(arrivals, mdp.successors[law][s], weights)
        paid += float(weights @ (mdp.rewards[law][s] > 0.5))
    return paid


@pytest.mark.parametrize(("size", "expected"), [(10, 630.2), (20, 754.7), (30, 677.8)])
def test_expected_successes_of_an_optimal_policy(size: int, expected: float):
    """In 100 N episodes of the published law; the return is less, by the cost of the moves."""
    sea = SlippingDeepSea(Config(size=size, variant="published"))

    found = 100 * size * _success_probability(sea)

    assert found == pytest.approx(expected, abs=0.05)
    assert 0.0 < found - 100 * size * sea.optimal_return < 100 * size * 0.01


def test_expected_successes_by_hand():
    """Two rows, published law: the last move must go right from either cell, slip or not."""
    assert _success_probability(
        SlippingDeepSea(Config(size=2, variant="published"))
    ) == pytest.approx(0.95)

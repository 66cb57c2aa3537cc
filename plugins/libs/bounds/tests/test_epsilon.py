"""An accepted loss of value, and which confusing models a bound covers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds import generative, navigation, planned
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular import testing


def instance(percent: float, discount: float = 0.95) -> PlannedInstance:
    """RiverSwim with 5 states and a loss in percent of the span of V*."""
    mdp = testing.riverswim(5)
    span = PlannedInstance(mdp=mdp, discount=discount).value_span
    return PlannedInstance(mdp=mdp, discount=discount, epsilon=percent / 100.0 * span)


@pytest.mark.parametrize(
    ("discount", "u", "u0"),
    [(0.95, 2.825176e7, 2.680708e6), (0.99, 3.241275e8, 1.966282e7)],
)
def test_published_bounds_with_a_loss(discount: float, u: float, u0: float) -> None:
    """Gaps larger by epsilon (1 - g), everything else as it was."""
    given = instance(1.0, discount)

    assert generative.minimise(planned.u(given, 19)).value == pytest.approx(u, rel=1e-6)
    assert generative.minimise(planned.u0(given)).value == pytest.approx(u0, rel=1e-6)


def test_a_least_ratio_moves_the_least_value_to_the_end_of_the_search() -> None:
    """A floor e of U in relation to K, far above d: certified, generative and navigation."""
    given = instance(1.0)
    loss = planned.u_span_loss(given, independent=True)
    assert loss.e > 2.0 * loss.d[loss.suboptimal].max()

    free = generative.minimise(loss)
    walk = navigation.minimise(loss, given.walk)

    assert free.x == 0.0
    assert walk.relative_gap < 1e-12
    assert walk.value >= free.value


def ends_anyhow(leak: float) -> TabularMDP:
    """State 0 stays (0.5) or ends by 999 actions; state 2 stays (1) or ends; 1 is the end."""
    p = np.zeros((3, 1_000, 3))
    p[0, 0, 0] = p[2, 0, 2] = p[1, :, 1] = 1.0
    p[0, 1:, 1], p[0, 1:, 2], p[2, 1:, 1] = 1.0 - leak, leak, 1.0
    rewards = np.zeros((3, 1_000))
    rewards[0, 0], rewards[2, 0] = 0.5, 1.0
    return TabularMDP.from_dense(p, rewards, terminal=[False, True, False])


def test_the_published_theorem_fails_for_new_successors() -> None:
    """U is 147.9 where any allocation needs 1,420: each of 999 actions might lead to state 2."""
    found = PlannedInstance(mdp=ends_anyhow(0.0), discount=0.99)

    value = generative.minimise(planned.u(found, 19)).value

    assert value == pytest.approx(147.9097, rel=1e-6)
    assert value < 999.0 / -math.log(1.0 - 0.5 / 0.99)


def test_a_single_moment_fails_without_new_successors() -> None:
    """A jump of probability 1e-6 is in the model; u1 does not see it."""
    found = PlannedInstance(mdp=ends_anyhow(1e-6), discount=0.99)

    value = generative.minimise(planned.u_k(found, 1)).value

    assert value == pytest.approx(149.0214, rel=1e-6)
    assert value < 1420.477

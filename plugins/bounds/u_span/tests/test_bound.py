"""Values of both forms, ties, new successors, and agreement with other ways to minimise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mfbpi_bound_u_span.bound import Config, USpan, _Deviations, _Losses
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular import testing

LAKE = testing.frozen_lake(["SFFF", "FHFH", "FFFH", "HFFG"])


def config(mdp: TabularMDP, discount: float, percent: float) -> Config:
    """An accepted loss in percent of the span of V*."""
    span = PlannedInstance(mdp=mdp, discount=discount).value_span
    return Config(epsilon=percent / 100.0 * span, rewards="independent")


@pytest.mark.parametrize(
    ("mdp", "discount", "percent", "deviations", "losses"),
    [
        (testing.riverswim(5), 0.95, 0, 6.223008e6, math.inf),
        (testing.riverswim(5), 0.95, 1, 5.982421e6, 2.017833e7),
        (testing.riverswim(5), 0.99, 1, 6.472558e7, 5.262031e8),
        (LAKE, 0.95, 1, 9.555497e10, 1.350343e8),
        (LAKE, 0.99, 1, 5.075630e13, 2.787979e9),
    ],
)
def test_generative_optima(
    mdp: TabularMDP, discount: float, percent: float, deviations: float, losses: float
) -> None:
    """Both forms and the smaller, to all their digits."""
    settings = config(mdp, discount, percent)
    first = _Deviations(discount, settings)

    assert first.solve(mdp).value == pytest.approx(deviations, rel=1e-6)
    if percent:
        found = _Losses(discount, settings, first).solve(mdp)
        assert found.value == pytest.approx(losses, rel=1e-6)
        assert found.status == "optimal"
    assert USpan(discount, settings).solve(mdp).value == pytest.approx(
        min(deviations, losses), rel=1e-6
    )


def test_a_tie_is_infinite_without_a_loss_and_the_message_offers_one() -> None:
    """FrozenLake's two actions that tie."""
    found = USpan(0.95, Config()).solve(LAKE)

    assert found.value == math.inf
    assert "epsilon" in found.reason


def test_rewards_that_depend_on_the_next_state_cost_more() -> None:
    """FrozenLake pays on arrival: its b is that of dependent rewards."""
    loss = config(LAKE, 0.95, 1).epsilon
    values = [
        USpan(0.95, Config(epsilon=loss, rewards=how)).solve(LAKE).value
        for how in ("auto", "dependent", "independent")
    ]

    assert values[0] == values[1] > values[2]


def ends_anyhow(n_actions: int, leak: float = 0.0) -> TabularMDP:
    """State 0 stays (0.5) or ends by any other action; state 2 stays (1) or ends; 1 is the end."""
    p = np.zeros((3, n_actions, 3))
    p[0, 0, 0] = p[2, 0, 2] = p[1, :, 1] = 1.0
    p[0, 1:, 1], p[0, 1:, 2], p[2, 1:, 1] = 1.0 - leak, leak, 1.0
    rewards = np.zeros((3, n_actions))
    rewards[0, 0], rewards[2, 0] = 0.5, 1.0
    return TabularMDP.from_dense(p, rewards, terminal=[False, True, False])


def test_covers_new_successors() -> None:
    """Every action that ends might lead to the better state: no fewer than 1,420.447 samples."""
    needed = 999.0 / -math.log(1.0 - 0.5 / 0.99)
    found = USpan(0.99, Config()).solve(ends_anyhow(1_000))

    assert needed == pytest.approx(1420.447, rel=1e-6)
    assert found.value >= needed
    assert found.details["covers"] == "every confusing model"


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_agrees_with_a_convex_solver(epsilon: float, constraint: str) -> None:
    """Also where the least value lies at the end of the search."""
    mdp = testing.riverswim(4)
    exact = USpan(0.9, Config(epsilon=epsilon)).solve(mdp, constraint)
    conic = USpan(0.9, Config(epsilon=epsilon, method="conic"))

    assert exact.status == "optimal"
    assert exact.relative_gap < 1e-9
    assert conic.evaluate(mdp, exact.allocation) == pytest.approx(exact.value, rel=1e-9)
    assert conic.solve(mdp, constraint).value == pytest.approx(exact.value, rel=1e-2)


def test_falls_as_more_loss_is_accepted() -> None:
    """And tends to its value without a loss; random instances, generative and navigation."""
    for seed in range(5):
        mdp = testing.garnet(6, seed=seed)
        for constraint in ("generative", "navigation"):
            found = [
                USpan(0.9, Config(epsilon=epsilon)).solve(mdp, constraint)
                for epsilon in (0.0, 1e-9, 0.01, 0.1, 1.0)
            ]
            values = [one.value for one in found]
            assert {one.status for one in found} == {"optimal"}
            assert values == sorted(values, reverse=True)
            assert values[1] == pytest.approx(values[0], rel=1e-5)

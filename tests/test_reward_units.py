"""Rewards in units of their range: what a bound says does not depend on how rewards are written."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from mfbpi_bound_u.bound import Config as UConfig
from mfbpi_bound_u.bound import U
from mfbpi_bound_u0.bound import U0
from mfbpi_bound_u0.bound import Config as U0Config
from mfbpi_core import TabularMDP
from mfbpi_lib_bounds import units

DISCOUNT = 0.9
BOUNDS = (U(DISCOUNT, UConfig()), U0(DISCOUNT, U0Config()))


def instance(terminal: bool, low: float, high: float) -> TabularMDP:
    """Random, its rewards in [0, 1] mapped to [low, high], a last state terminal or not."""
    rng = np.random.default_rng(3)
    transitions, rewards = rng.dirichlet(np.ones(5), size=(5, 3)), rng.random((5, 3))
    ends = np.arange(5) == 4 if terminal else None
    scaled = low + (high - low) * rewards
    if terminal:
        scaled[4] = 0.0
    return TabularMDP.from_dense(transitions, scaled, terminal=ends, reward_range=(low, high))


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("limits", [(-7.0, -3.0), (2.0, 12.0), (-1.0, 1.0)])
def test_without_ends_any_range_gives_the_same(bound: U, limits: tuple[float, float]) -> None:
    """Scale and shift of all rewards change no bound."""
    plain, written = instance(False, 0.0, 1.0), instance(False, *limits)
    assert bound.solve(written).value == pytest.approx(bound.solve(plain).value, rel=1e-9)


@pytest.mark.parametrize("bound", BOUNDS)
def test_with_ends_a_factor_gives_the_same(bound: U) -> None:
    """[0, 20] is [0, 1] in another unit."""
    plain, written = instance(True, 0.0, 1.0), instance(True, 0.0, 20.0)
    assert bound.solve(written).value == pytest.approx(bound.solve(plain).value, rel=1e-9)


def test_with_ends_nothing_is_shifted() -> None:
    """Staying pays -1, ending -10: shifted to [0, 1], ending would be worse than staying."""
    transitions = np.zeros((2, 2, 2))
    transitions[:, 0, 0] = transitions[:, 1, 1] = 1.0
    mdp = TabularMDP.from_dense(
        transitions,
        [[-1.0, -10.0], [0.0, 0.0]],
        terminal=[False, True],
        reward_range=(-10.0, -1.0),
    )
    scaled = units.scaled(mdp)
    assert scaled.mean_rewards.tolist() == [[-0.1, -1.0], [0.0, 0.0]]
    assert units.unit(attrs.evolve(mdp, terminal=np.zeros(2, dtype=np.bool_))) == 9.0


def test_rounding_changes_no_instance() -> None:
    """A range of width 1 up to rounding, as of DeepSea, leaves the very same object."""
    mdp = instance(True, -0.001, 1.0 - 0.001)
    assert units.scaled(mdp) is mdp


def test_an_accepted_loss_is_in_the_rewards_own_unit() -> None:
    """A loss of 0.2 where rewards are in [0, 1] is one of 4 where they are in [0, 20]."""
    plain = U(DISCOUNT, UConfig(epsilon=0.2)).solve(instance(True, 0.0, 1.0))
    written = U(DISCOUNT, UConfig(epsilon=4.0)).solve(instance(True, 0.0, 20.0))
    assert written.value == pytest.approx(plain.value, rel=1e-9)

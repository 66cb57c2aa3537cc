from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mfbpi_core import NoConfig, Problem, Transition, Transitions
from mfbpi_core.errors import PluginError
from mfbpi_lib_tabular.testing import Scene, advised
from mfbpi_metric_reward.metric import BLOCK, UNITS_PER_ONE, Reward, exact_sum

PROBLEM = Problem(n_states=None, n_actions=1, discount=0.9, horizon=100)

#: What rewards may be like: whole, rounded, of either sign, of all sizes, the least and largest.
KINDS = {
    "bernoulli": lambda rng, n: (rng.random(n) < 0.3) * 1.0,
    "tenths": lambda rng, n: rng.integers(11, size=n) * 0.1,
    "normal": lambda rng, n: rng.standard_normal(n),
    "of all sizes": lambda rng, n: rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300, size=n),
    "denormal": lambda rng, n: rng.integers(-(2**51), 2**51, size=n) * 5e-324,
    "largest": lambda rng, n: rng.choice([-1.0, 1.0], size=n) * sys.float_info.max,
    "nearly cancelling": lambda rng, n: np.repeat(rng.standard_normal(n), 2) * np.tile([1, -1], n),
}


def make() -> Reward:
    """The metric; it needs nothing of the environment."""
    return Reward(PROBLEM, Scene(), NoConfig(), np.random.default_rng(0))


def paid(rewards: Any, start: int = 0) -> Transitions:
    """Steps that pay these rewards."""
    return Transitions.from_steps(start, [Transition(0, 0, reward, 0) for reward in rewards])


def measure(metric: Reward) -> dict[str, float]:
    """What it says now."""
    return metric.measure(advised(PROBLEM))


def test_by_hand() -> None:
    """1 - 0.25 + 0.5 over three steps, and then 0.75 more."""
    metric = make()
    metric.observe(paid([1.0, -0.25, 0.5]))
    assert measure(metric) == {"reward_sum": 1.25, "reward_mean": 1.25 / 3.0}
    metric.observe(paid([0.75], start=3))

    assert measure(metric) == {"reward_sum": 2.0, "reward_mean": 0.5}


def test_before_the_first_step() -> None:
    """Nothing was earned; nothing over nothing is no number. A batch without steps adds none."""
    metric = make()
    metric.observe(paid([]))

    assert measure(metric) == {"reward_sum": 0.0}


@pytest.mark.parametrize("kind", KINDS)
def test_sum_is_exact(kind: str) -> None:
    """In rational arithmetic it is the same number, for rewards of any size and sign."""
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 17, 400):
        rewards = KINDS[kind](rng, n)
        expected = sum(map(Fraction, rewards.tolist()), Fraction(0))

        assert Fraction(exact_sum(rewards), UNITS_PER_ONE) == expected


@pytest.mark.parametrize("kind", ["tenths", "normal", "of all sizes", "nearly cancelling"])
def test_batches_and_order_do_not_matter(kind: str) -> None:
    """All at once, one by one, or backwards in uneven parts: the same to the bit, and math.fsum."""
    rng = np.random.default_rng(2)
    rewards = KINDS[kind](rng, 300)
    together, apart, back = make(), make(), make()
    together.observe(paid(rewards))
    for reward in rewards:
        apart.observe(paid([reward]))
    for part in np.split(rewards[::-1], [1, 8, 150]):
        back.observe(paid(part))

    assert measure(together) == measure(apart) == measure(back)
    assert measure(together)["reward_sum"] == math.fsum(rewards)


def test_long_runs_lose_nothing() -> None:
    """1e8 rewards of 0.1, of which adding up loses 1e-9, and 1 that meets 1e16 on its way."""
    tenth = exact_sum(np.full(2**20, 0.1))
    metric, million = make(), Fraction(10**8) * Fraction(0.1)
    metric.total, metric.steps = tenth * 10**8 // 2**20, 10**8
    assert tenth * 10**8 % 2**20 == 0
    assert measure(metric) == {"reward_sum": float(million), "reward_mean": 0.1}

    metric = make()
    for reward in (1e16, 1.0, -1e16):
        metric.observe(paid([reward]))
    assert measure(metric)["reward_sum"] == 1.0


def test_blocks_are_added_up() -> None:
    """More numbers than are added at a time."""
    rewards = np.random.default_rng(3).standard_normal(5 * BLOCK + 5)

    assert exact_sum(rewards) / UNITS_PER_ONE == math.fsum(rewards.tolist())


def test_sums_beyond_float64_are_left_out() -> None:
    """Twice the largest number is none; its mean is one, and so is the sum once it is back."""
    metric, largest = make(), sys.float_info.max
    metric.observe(paid([largest, largest]))
    assert measure(metric) == {"reward_mean": largest}
    metric.observe(paid([-largest], start=2))

    assert measure(metric)["reward_sum"] == largest


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_what_has_no_sum_is_refused(reward: float) -> None:
    """The reward, its place, and what was expected; the sum stays what it was."""
    metric = make()
    metric.observe(paid([1.0]))
    with pytest.raises(
        PluginError, match=r"steps from 1 on, rewards\[2\] is -?(nan|inf); expected finite numbers"
    ):
        metric.observe(paid([0.0, 0.0, reward], start=1))

    assert measure(metric) == {"reward_sum": 1.0, "reward_mean": 1.0}


def test_a_loaded_metric_goes_on() -> None:
    """The sum is saved exactly, not as the float64 that was last measured."""
    whole, saved, loaded = make(), make(), make()
    rewards = np.random.default_rng(4).standard_normal(200) * 1e8
    whole.observe(paid(rewards))
    saved.observe(paid(rewards[:77]))
    loaded.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    loaded.observe(paid(rewards[77:], start=77))

    assert loaded.state_dict() == whole.state_dict()
    assert measure(loaded) == measure(whole)

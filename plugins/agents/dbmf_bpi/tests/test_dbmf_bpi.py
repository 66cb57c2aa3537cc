"""DBMF-BPI: weights, targets and schedules on numbers worked out by hand."""

import math

import attrs
import numpy as np
import pytest
import torch

from mfbpi_agent_dbmf_bpi.agent import DBMFBPI, smallest_gaps
from mfbpi_agent_dbmf_bpi.config import Config, preset
from mfbpi_core import Transition
from mfbpi_core.errors import SolverError
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.bootstrapped import Estimates, taken
from mfbpi_lib_torch.networks.layers import Activations
from mfbpi_lib_torch.testing import (
    array_problem,
    drawn_observation,
    first_actions,
    hand_batch,
    small_learner,
)

EMPTY = torch.empty(0)


def agent(discount=0.5, **parameters) -> DBMFBPI:
    """An agent with small networks and batches."""
    small = {"ensemble_size": 3, "hidden": 6, "batch_size": 8}
    return DBMFBPI(
        array_problem(discount=discount),
        Config(**{**small, **parameters}),
        np.random.default_rng(0),
    )


def test_published_weight_divides_the_sum():
    """The published code multiplies the sum by 2 / (d (1 - gamma)): for d = 3, gamma = 1/2, 4/3."""
    paper, published = agent(), agent(optimal_weight="published")
    q, m = np.array([0.0, 1.0]), np.zeros(2)

    ratios = [a.learner.allocation(q, m, 1.0) for a in (paper, published)]

    odds = [w[1] / w[0] for w in ratios]
    assert odds[1] / odds[0] == pytest.approx(math.sqrt(4 / 3))


def hand_estimates() -> Estimates:
    """One member, two actions, [R, B, A, 2 n]: columns are s_1, s_2, s'_1, s'_2."""
    online = torch.tensor([[[[0.0, 0, 8, 5], [0, 0, 6, 5]]]])
    target = torch.tensor([[[[0.0, 3, 2, 7], [2, 0, 4, 7]]]])
    return Estimates(Activations(EMPTY, EMPTY, EMPTY), online, target, 2)


def test_targets_by_hand():
    """Q: 1 + Q'(s', 0) / 2 with action 0 the online maximum; the terminated one is its reward.

    M: ((1 + max(2, 4) / 2 - 2) / (1/2))^4 = 2^4, and ((2 - 3) / (1/2))^4 = 2^4.
    """
    learner = agent().learner

    q = learner.target(hand_batch(), hand_estimates())
    m = learner.moment_target(hand_batch(), hand_estimates())

    torch.testing.assert_close(q, torch.tensor([[[2.0, 2.0]]]))
    torch.testing.assert_close(m, torch.tensor([[[16.0, 16.0]]]))


def test_moment_target_of_first_order():
    """With k = 1 the deviation is squared once."""
    m = agent(k=1).learner.moment_target(hand_batch(), hand_estimates())

    torch.testing.assert_close(m, torch.tensor([[[4.0, 4.0]]]))


def test_smallest_gaps():
    """Positive gaps between the two best only, where something follows; per replica."""
    q = torch.tensor([[[[1.0, 5.0, 3.0], [3.0, 5.0, 2.9]]], [[[0.0, 0, 0], [0, 0, 0]]]])
    discounts = torch.tensor([[[0.9, 0.9, 0.0]], [[0.9, 0.9, 0.9]]])

    assert smallest_gaps(q, discounts) == [2.0, math.inf]
    three = torch.tensor([[[[1.0], [4.0], [3.5]]]])
    assert smallest_gaps(three, torch.ones(1, 1, 1)) == [0.5]


def test_smallest_gap_is_a_stochastic_approximation():
    """Steps (H + 1) / (H + t), H = 2: the first replaces the start, the second moves 3/4."""
    learner = agent().learner
    batch, estimates = hand_batch(), hand_estimates()
    assert learner.lanes[0].smallest_gap == 0.01

    learner._learn_smallest_gap(batch, estimates)
    assert learner.lanes[0].smallest_gap == 2.0

    learner.updates += 1
    estimates.online[0, 0, :, 2] = torch.tensor([8.0, 7.0])
    learner._learn_smallest_gap(batch, estimates)
    assert learner.lanes[0].smallest_gap == pytest.approx(2.0 + 3 / 4 * (1.0 - 2.0))


def fill(learner, n: int) -> None:
    """Store random transitions."""
    rng = np.random.default_rng(1)
    for _ in range(n):
        x, y = rng.normal(size=(2, 3)).astype(np.float32)
        learner.memory.store(learner.lanes, [Transition(x, int(rng.integers(2)), 1.0, y)])


def test_moments_step_is_autograds():
    """M = relu(network) + prior: the first step's gradient is that of the masked loss."""
    learner = agent(loss="squared").learner
    fill(learner, 20)
    batch = learner.memory.sample(learner.lanes)
    target = torch.full((1, 3, 8), 0.3)
    learner.m.open(batch.now)
    out = learner.by_replica(learner.m.online().out).clone().requires_grad_()
    value = out.relu() + learner.by_replica(batch.priors["m"])
    error = taken(value, batch.actions) - target
    (error.square() * batch.mask).mean().backward()

    learner._learn_moments(batch, target)

    expected = out.grad.flatten(0, 1).sum(2, keepdim=True)
    torch.testing.assert_close(learner.m.gradient.b3, expected)


def test_levels_are_renewed_at_ends_and_every_horizon():
    """H = 10: the level changes after an end or a cut, and at steps 10, 20, ...; not in between."""
    learner = agent(discount=0.9, batch_size=1000).learner
    x = np.zeros(3, dtype=np.float32)
    levels = [learner.lanes[0].level]
    for step in range(1, 26):
        ends = {"terminated": step == 4, "truncated": step == 17}
        learner.update([Transition(x, 0, 0.0, x, **ends)])
        levels.append(learner.lanes[0].level)
    changed = [t for t in range(1, 26) if levels[t] != levels[t - 1]]

    assert changed == [4, 10, 17, 20]
    assert all(0.0 <= level < 1.0 for level in levels)


def test_actions_follow_the_allocation():
    """Over many draws at a fixed level, the actions' shares are the allocation."""
    learner = agent().learner
    lane = learner.lanes[0]
    lane.level, lane.smallest_gap = 0.5, 3.0
    values = {"q": np.array([[0.0, 2.0]] * 3), "m": np.zeros((3, 2))}
    expected = learner.allocation(np.array([0.0, 2.0]), np.zeros(2), 3.0)

    shares = np.bincount([learner.choose(lane, values) for _ in range(4000)]) / 4000

    np.testing.assert_allclose(shares, expected, atol=0.03)


def test_actions_without_weight_are_never_taken():
    """Shares that rounding keeps below one leave the last action, of share 0, untaken."""
    learner = agent().learner
    shares = np.append(np.full(10, 0.1), 0.0)
    learner.allocation = lambda q, m, gap: shares
    lane = learner.lanes[0]
    lane.rng = Largest()

    assert learner.choose(lane, {"q": np.zeros((1, 11)), "m": np.zeros((1, 11))}) == 9


class Largest:
    """A generator stuck at the largest number below one."""

    def random(self):
        """The largest double below one."""
        return np.nextafter(1.0, 0.0)


def test_exploration_fades():
    """eps_t = 10 / (10 + t): always at t = 0, half the time at t = 10."""
    lane = agent().learner.lanes[0]
    assert all(lane.explores(10.0, lane.steps) for _ in range(100))
    lane.steps = 10
    assert np.mean([lane.explores(10.0, lane.steps) for _ in range(4000)]) == pytest.approx(
        0.5, abs=0.03
    )


def test_the_mode_recommends():
    """Two members of three prefer action 0, though the mean prefers 1."""
    values = {"q": np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 9.0]])}

    assert agent().learner.recommended(values) == 0


def test_published_settings():
    """DeepSea: by its size, with the priors that all agents have there; CartPole: the defaults."""
    sea = attrs.evolve(
        Config(), **preset(array_problem(shape=(50, 50), environment="slipping_deep_sea"))
    )

    assert (sea.prior_scale, sea.hidden, sea.learning_rate, sea.loss) == (20.0, 32, 5e-4, "huber")
    assert sea.initialiser == "wide_fan_uniform"
    assert sea.prior_initialiser == "truncated_normal"
    assert preset(array_problem(shape=(8,), environment="cartpole_swingup")) == {}
    assert (Config().k, Config().mask_probability, Config().optimal_weight) == (2, 0.7, "paper")


@pytest.mark.parametrize("path", paths.ALL)
def test_constant_moments_need_no_second_ensemble(path):
    """M is zero, one ensemble learns, and the smallest gap is approached all the same."""
    learner = agent(moments="constant").learner
    learner.take(path)
    lane = learner.lanes[0]
    before = learner.q.flat.copy()
    for _ in range(10):
        x = np.random.default_rng(3).normal(size=3).astype(np.float32)
        learner.update([Transition(x, 0, 1.0, x)])
    lane.level, lane.smallest_gap = 0.5, 3.0
    values = {"q": np.array([[0.0, 2.0]] * 3)}
    expected = learner.allocation(np.array([0.0, 2.0]), np.zeros(2), 3.0)

    shares = np.bincount([learner.choose(lane, values) for _ in range(4000)]) / 4000

    assert len(learner.networks) == 1
    assert list(learner.priors) == ["q"]
    assert not np.array_equal(learner.q.flat, before)
    np.testing.assert_allclose(shares, expected, atol=0.03)


def test_levels_are_above_the_low_one():
    """xi ~ U(level_low, 1); 0 is as published."""
    learner = agent(level_low=0.8).learner
    lane, levels = learner.lanes[0], []
    for _ in range(1000):
        learner.renew(lane)
        levels.append(lane.level)

    assert 0.8 <= min(levels) < 0.81
    assert np.mean(levels) == pytest.approx(0.9, abs=0.01)
    assert Config().level_low == 0.0


@pytest.mark.parametrize("parameters", [{}, {"moments": "constant"}, {"k": 1, "prior_scale": 0.0}])
@pytest.mark.parametrize("shape", [(3,), (4, 4)])
@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_sixty_updates_are_those_of_torch(loss, shape, parameters):
    """Every weight and moment of both ensembles, and the smallest gap, within 1e-5."""
    first, second = (updated(path, shape, loss=loss, **parameters) for path in paths.ALL)

    assert first.lanes[0].smallest_gap == pytest.approx(second.lanes[0].smallest_gap, rel=1e-4)
    for found, expected in zip(first.networks, second.networks, strict=True):
        for name in ("flat", "target_flat", "first_moment", "second_moment"):
            pair = getattr(found, name), getattr(expected, name)
            np.testing.assert_allclose(*pair, rtol=0, atol=1e-5)
        if found.table is not None:
            pair = found.table.blocks, expected.table.blocks
            np.testing.assert_allclose(*pair, rtol=0, atol=1e-5)


def updated(path, shape, **parameters):
    """A learner after 60 updates, on a path."""
    config = Config(ensemble_size=3, hidden=6, batch_size=8, **parameters)
    learner = small_learner(DBMFBPI, config, path, shape)
    rng = np.random.default_rng(1)
    x = drawn_observation(rng, shape)
    for _ in range(67):
        y, ends = drawn_observation(rng, shape), bool(rng.random() < 0.2)
        learner.update([Transition(x, int(rng.integers(2)), rng.random(), y, terminated=ends)])
        x = y
    return learner


@pytest.mark.parametrize("path", paths.ALL)
def test_moments_too_large_for_float32(path):
    """Rewards of 100 to the power 16: refused with k, and learned with Huber's loss or k = 1."""
    large = {"ensemble_size": 3, "hidden": 6, "batch_size": 8, "learning_rate": 0.01}

    def drive(**parameters):
        learner = small_learner(DBMFBPI, Config(**large, **parameters), path, (3,))
        rng = np.random.default_rng(1)
        x = drawn_observation(rng, (3,))
        for _ in range(200):
            y, action = drawn_observation(rng, (3,)), learner.select_actions([x])[0]
            learner.update([Transition(x, action, 100.0 * rng.random(), y)])
            x = y

    with pytest.raises(
        SolverError, match=r"of network 2 of 2.*k=4.*learning_rate, prior_scale or k"
    ):
        drive(k=4)
    drive(k=4, loss="huber")
    drive(k=1)


@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_first_actions_are_those_of_torch(shape):
    """500 steps, between observations drawn at random."""
    first, second = first_actions(DBMFBPI, Config, shape)

    assert len(set(first)) == 2
    assert first == second

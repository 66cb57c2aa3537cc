"""IDS: the information ratio by hand, the quantile network, and settings."""

import math

import attrs
import numpy as np
import pytest
import torch

from mfbpi_agent_ids.agent import IDS, IDSLearner, information_ratio, of_action
from mfbpi_agent_ids.config import Config, preset
from mfbpi_core import Transition
from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import (
    array_problem,
    drawn_observation,
    first_actions,
    learnt,
    small_learner,
)


def test_information_ratio_by_hand():
    """Two members and actions: mu = (1, 2), sigma = (1, 0), variances of the return 4 and 0."""
    q = np.array([[0.0, 2.0], [2.0, 2.0]])
    quantiles = np.array([[-2.0, 2.0], [3.0, 3.0]])

    ratio = information_ratio(q, quantiles, optimism=5.0, least_noise=0.25)

    regret = np.array([6.0 - (1.0 - 5.0), 6.0 - 2.0])
    noise = 4.0 / (1e-5 + 2.0)
    information = np.array([math.log(1 + 1.0 / noise), 0.0]) + 1e-5
    np.testing.assert_allclose(ratio, regret**2 / information)
    assert ratio.argmin() == 0  # the uncertain action, though its mean is lower


def test_least_noise_bounds_the_information():
    """With c = 10 the same action is thought less informative."""
    q = np.array([[0.0, 2.0], [2.0, 2.0]])
    quantiles = np.zeros((2, 4))

    ratio = information_ratio(q, quantiles, optimism=5.0, least_noise=10.0)

    np.testing.assert_allclose(ratio[0], 100.0 / (math.log(1.1) + 1e-5))


def agent(**parameters) -> IDS:
    """An agent with small batches."""
    small = {"ensemble_size": 3, "hidden": 6, "batch_size": 8, "quantiles": 4}
    return IDS(
        array_problem(discount=0.5), Config(**{**small, **parameters}), np.random.default_rng(0)
    )


def fill(learner, n: int) -> None:
    """Store random transitions."""
    rng = np.random.default_rng(1)
    for _ in range(n):
        x, y = rng.normal(size=(2, 3)).astype(np.float32)
        learner.memory.store(learner.lanes, [Transition(x, int(rng.integers(2)), 1.0, y)])


def test_quantiles_of_an_action():
    """Values [A, I, n] of the chosen actions, one for each of the batch."""
    values = torch.arange(12.0).view(1, 2, 3, 2)

    chosen = of_action(values, torch.tensor([[[[1, 0]]]]))

    torch.testing.assert_close(chosen[0, :, 0], torch.tensor([6.0, 8.0, 10.0]))
    torch.testing.assert_close(chosen[0, :, 1], torch.tensor([1.0, 3.0, 5.0]))


def test_the_quantile_network_descends_its_loss():
    """With a larger step size it learns the constant return 1 / (1 - gamma) = 2."""
    ids = agent(quantile_learning_rate=0.01)
    fill(ids.learner, 40)
    for _ in range(1500):
        ids.learner.learn(ids.learner.memory.sample(ids.learner.lanes))

    values = ids.learner.values(np.zeros((1, 3), dtype=np.float32), {})
    assert values["z"].shape == (1, 2, 4)
    np.testing.assert_allclose(values["z"], 2.0, atol=0.5)


def test_every_member_learns_from_everything():
    """No masks and no priors by default, as published."""
    ids = agent()
    fill(ids.learner, 10)
    batch = ids.learner.memory.sample(ids.learner.lanes)

    assert batch.mask is None
    assert batch.priors == {}
    assert ids.learner.double


def test_published_settings():
    """DeepSea and CartPole differ in c; the quantile network learns slowly in both."""
    sea = attrs.evolve(Config(), **preset(array_problem((10, 10), "slipping_deep_sea")))

    assert (sea.least_noise, sea.hidden, sea.loss, sea.learning_rate) == (0.25, 50, "huber", 5e-4)
    assert (Config().least_noise, Config().optimism, Config().quantiles) == (10.0, 5.0, 50)
    assert (Config().quantile_learning_rate, Config().gain) == (1e-6, 1.5)


@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_sixty_updates_are_those_of_torch(shape):
    """Every weight of the ensemble and of the quantile network within 1e-5."""
    first, second = (updated(path, shape) for path in paths.ALL)

    for found, expected in zip(first.networks, second.networks, strict=True):
        np.testing.assert_allclose(found.flat, expected.flat, rtol=0, atol=1e-5)
        pair = found.first_moment, expected.first_moment
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-5)
        if found.table is not None:
            pair = found.table.blocks, expected.table.blocks
            np.testing.assert_allclose(*pair, rtol=0, atol=1e-5)


def updated(path, shape):
    """A learner after 60 updates, on a path."""
    config = Config(ensemble_size=3, hidden=6, batch_size=8, quantile_learning_rate=1e-3)
    learner = small_learner(IDS, config, path, shape)
    rng = np.random.default_rng(1)
    for _ in range(67):
        x, y = (drawn_observation(rng, shape) for _ in range(2))
        ends = bool(rng.random() < 0.2)
        learner.update([Transition(x, int(rng.integers(2)), rng.random(), y, terminated=ends)])
    return learner


@pytest.mark.parametrize("shape", [(3,), (4, 4)])
def test_first_actions_are_those_of_torch(shape):
    """500 steps, between observations drawn at random."""
    first, second = first_actions(IDS, Config, shape)

    assert len(set(first)) == 2
    assert first == second


def test_the_clock_of_updates():
    """Before the first of them t is 1, however many steps were taken."""
    learner = agent(exploration_clock="updates").learner
    assert learner.clock(learner.lanes[0]) == 1
    for _ in range(12):
        learner.update([step(reward=1.0)])

    assert learner.updates == 5  # of 12 steps, the first 7 fill a batch of 8
    assert learner.clock(learner.lanes[0]) == 6
    assert agent().learner.clock(learner.lanes[0]) == 12


@pytest.mark.parametrize(("time_limit", "ends"), [("bootstrap", False), ("terminal", True)])
def test_what_follows_a_time_limit(time_limit, ends):
    """A truncated transition bootstraps, or is stored as an end; others stay as they are."""
    learner = agent(time_limit=time_limit).learner
    for truncated in (True, False):
        learner.update([step(truncated=truncated)])
    learner.update([step(terminated=True)])

    stored = learner.lanes[0].replay.columns["terminated"][:3]
    np.testing.assert_array_equal(stored, [ends, False, True])


@pytest.mark.parametrize("path", paths.ALL)
def test_a_divided_loss(path):
    """The gradient is divided, so that the first moment of the first step is, on either path."""
    whole, divided = (agent(loss_divisor=divisor).learner for divisor in (1.0, 4.0))
    for learner in (whole, divided):
        learner.take(path)
        for n in range(8):
            learner.update([step(reward=float(n))])

    assert np.abs(divided.q.first_moment).max() > 0
    np.testing.assert_allclose(divided.q.first_moment * 4, whole.q.first_moment, rtol=1e-5)
    np.testing.assert_allclose(divided.z.first_moment, whole.z.first_moment, rtol=1e-5)


def step(**ends) -> Transition:
    """A transition between two observations."""
    one, two = np.zeros(3, np.float32), np.ones(3, np.float32)
    return Transition(one, 0, ends.pop("reward", 0.0), two, **ends)


class Levels(IDSLearner):
    """With as many levels again."""

    def build(self):
        """Twice."""
        super().build()
        self.levels = np.concatenate([self.levels, self.levels])


class OneLevel(IDSLearner):
    """With one, which torch would take for all."""

    def build(self):
        """The median."""
        super().build()
        self.levels = self.levels[:1]


class Outputs(IDSLearner):
    """With more outputs than quantiles of actions."""

    def build(self):
        """Three for each action."""
        super().build()
        self.networks.remove(self.z)
        outputs = 2 * (self.config.quantiles + 3)
        self.z = self.network(self.sizes(members=1, outputs=outputs), 1e-3, target=False)


@pytest.mark.parametrize("path", paths.ALL)
@pytest.mark.parametrize("shape", [(3,), (4, 4)])
@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (Levels, "1 members with 8 outputs, and there are 8 levels"),
        (OneLevel, "1 members with 8 outputs, and there are 1 levels"),
        (Outputs, "1 members with 14 outputs, and there are 4 levels"),
    ],
)
def test_other_levels_than_quantiles_are_refused(kind, found, shape, path):
    """Compiled functions would read what lies behind the outputs."""
    config = Config(ensemble_size=3, hidden=6, batch_size=8, quantiles=4)
    made = small_learner(type("Made", (IDS,), {"learner_type": kind}), config, path, shape)
    with pytest.raises(UsageError, match=f"{found}; expected one member with 2 x 4 outputs and 4"):
        learnt(made, shape)

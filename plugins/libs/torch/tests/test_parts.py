"""Losses, initial weights, encoders, replay buffers, devices and settings."""

import math

import numpy as np
import pytest
import torch

from mfbpi_core.errors import CheckpointError, ConfigError, RequirementError
from mfbpi_lib_torch import device, seeding
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, prior_scale
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.networks.initialisers import draw
from mfbpi_lib_torch.networks.losses import quantile_huber, regression
from mfbpi_lib_torch.testing import array_problem


def test_huber_derivative_by_hand():
    """Errors of 1/2, -3 and 2, the last masked: clipped, and divided by the three entries."""
    prediction = torch.tensor([[[1.5, -3.0, 2.0]]])

    d = regression(
        prediction, torch.tensor([[[1.0, 0.0, 0.0]]]), torch.tensor([[[1, 1, 0]]]), "huber"
    )

    torch.testing.assert_close(d, torch.tensor([[[0.5, -1.0, 0.0]]]) / 3)


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_regression_is_the_derivative_of_torchs_loss(loss):
    """Without a mask, and for one replica: autograd through torch's mean loss."""
    generator = torch.Generator().manual_seed(0)
    prediction = torch.randn(1, 3, 7, generator=generator) * 2
    target = torch.randn(1, 3, 7, generator=generator)
    module = torch.nn.HuberLoss() if loss == "huber" else torch.nn.MSELoss()
    leaf = prediction.clone().requires_grad_()
    module(leaf, target).backward()

    torch.testing.assert_close(regression(prediction, target, None, loss), leaf.grad)


def test_quantile_derivative_by_hand():
    """Quantiles 0 and 2 at levels 1/4 and 3/4, targets 1/2 and 5 in a batch of one.

    u = (1/2, 5) for the first: clipped to (1/2, 1), both above. u = (-3/2, 3) for the second:
    one below, one above. Derivatives: -1/4 * 3/2 / 2 and -(3/4 * 1 - 1/4 * 1) / 2.
    """
    d = quantile_huber(
        torch.tensor([[[0.0], [2.0]]]),
        torch.tensor([[[0.5], [5.0]]]),
        torch.tensor([0.25, 0.75]),
    )

    torch.testing.assert_close(d, torch.tensor([[[-0.1875], [-0.25]]]))


def test_truncated_normal():
    """Standard deviation near gain / sqrt(fan in), nothing beyond twice that, no bias."""
    w, b = draw("truncated_normal", (20, 25, 40), np.random.default_rng(0), gain=1.5)

    assert np.abs(w).max() <= 2 * 1.5 / 5
    assert w.std() == pytest.approx(0.88 * 1.5 / 5, rel=0.02)  # what the cut leaves
    assert np.mean(np.abs(w) < 1.5 / 5) == pytest.approx(0.7152, abs=0.01)  # of a cut normal
    assert not b.any()


def test_wide_fans():
    """The rules of the published DeepSea runs: bounds and standard deviation by their formulas."""
    w, b = draw("wide_fan_uniform", (20, 50, 32), np.random.default_rng(0))
    assert np.abs(w).max() == pytest.approx(math.sqrt(6 / (50 * 32)), rel=1e-3)
    assert np.abs(b).max() == pytest.approx(1 / math.sqrt(50 * 32), rel=0.02)

    w, b = draw("wide_fan_normal", (20, 50, 32), np.random.default_rng(0))
    assert w.std() == pytest.approx(2 / math.sqrt(32 * 70), rel=0.02)
    assert not b.any()


SEA = array_problem((3, 3), "slipping_deep_sea", observation_kind="one_hot")


def test_one_hot_observations_become_cells():
    """A DeepSea observation is its cell, the zeros after its end a cell of their own."""
    encoder = Encoder.of(SEA, "auto")
    grid = np.zeros((3, 3), dtype=np.float32)
    grid[1, 2] = 1

    np.testing.assert_array_equal(encoder.encode([grid, np.zeros((3, 3))]), [5, 9])
    assert not Encoder.of(array_problem((3, 3), "images"), "auto").one_hot
    assert not Encoder.of(SEA, "no").one_hot
    assert Encoder.of(array_problem((4,), "anything"), "yes").one_hot


def test_observations_that_are_not_one_hot_are_refused():
    """With one_hot=yes, two entries or a half are an error that says what to do."""
    encoder = Encoder.of(array_problem((3,), ""), "yes")
    for wrong in ([1.0, 1.0, 0.0], [0.5, 0.0, 0.0], [-1.0, 0.0, 0.0]):
        with pytest.raises(ConfigError, match="one_hot=no"):
            encoder.encode([np.array(wrong)])


def test_integer_states_are_refused():
    """The message points to tabular agents."""
    with pytest.raises(RequirementError, match="tabular agent"):
        Encoder.of(array_problem((), "riverswim", n_states=5), "auto")


def test_replay_keeps_the_newest():
    """A ring of three after five transitions holds the last three, and samples only these."""
    replay = Replay(3, {"x": ((), np.int32)}, np.random.default_rng(0))
    for x in range(5):
        replay.add(x=x)

    assert len(replay) == 3
    assert set(replay.sample(200)["x"]) == {2, 3, 4}


def test_replay_saves_and_refuses_other_columns():
    """A loaded buffer samples what the saved one would; another layout is refused."""
    columns = {"x": ((2,), np.float32)}
    first, second = (Replay(5, columns, np.random.default_rng(seed)) for seed in (1, 2))
    for x in range(3):
        first.add(x=[x, x])
    second.load_state_dict(first.state_dict())

    np.testing.assert_array_equal(first.sample(20)["x"], second.sample(20)["x"])
    other = Replay(5, {"x": ((3,), np.float32)}, np.random.default_rng(0))
    with pytest.raises(CheckpointError, match="same problem"):
        other.load_state_dict(first.state_dict())


def test_a_missing_device_is_one_sentence():
    """No GPU, no such index, no such device: each is a ConfigError without a line break."""
    missing = ["cuda:99", "abacus"] if torch.cuda.is_available() else ["cuda", "cuda:99", "abacus"]
    for name in missing:
        with pytest.raises(ConfigError, match="cpu") as caught:
            device.resolve(name)
        assert "\n" not in str(caught.value)
    assert [device.resolve(name) for name in ("cpu", "cpu:0")] == ["cpu"] * 2


def test_derived_generators_depend_on_the_stream_only():
    """Equal streams give equal children, one stream different ones."""
    a, b = np.random.default_rng(4), np.random.default_rng(4)

    first, again = seeding.child(a).random(3), seeding.child(b).random(3)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, seeding.child(a).random(3))


def test_prior_scale_follows_the_size():
    """The published sizes, a size between, and the ends."""
    assert [prior_scale(n) for n in (10, 20, 30, 40, 50)] == [3.0, 5.0, 10.0, 15.0, 20.0]
    assert prior_scale(25) == 7.5
    assert (prior_scale(4), prior_scale(80)) == (3.0, 20.0)
    thirty = DeepConfig(**deep_sea_preset(30))
    assert (thirty.prior_scale, thirty.prior_initialiser) == (10.0, "truncated_normal")

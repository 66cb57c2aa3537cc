"""The compiled path against torch's, against finite differences, and on its own."""

import pickle

import numpy as np
import pytest
import torch

from mfbpi_core import Interaction
from mfbpi_core.errors import CheckpointError
from mfbpi_lib_torch.kernels import values
from mfbpi_lib_torch.kernels.compiling import available, compiled
from mfbpi_lib_torch.kernels.parts import Net
from mfbpi_lib_torch.kernels.passes import backward
from mfbpi_lib_torch.kernels.values import space_of
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

#: Steps before the first update, with the batches of these tests.
WARM_UP = 16


class Double(BootstrappedDQN):
    """With double targets."""

    double = True


class StoringMasks(BootstrappedDQN):
    """With masks stored in the replay buffer."""

    stores_masks = True


class Changed(BootstrappedDQN):
    """With a target of its own, which no compiled function knows."""

    def target(self, batch, q):
        """Twice the other."""
        return 2.0 * super().target(batch, q)


def agent_of(learner):
    """An agent that is one replica of a learner."""
    return type("Made", (DeepAgent,), {"learner_type": learner})


@pytest.fixture
def make_run(make_problem, make_config, environment_type):
    """An agent in its environment, on a path."""

    def make(learner, path, **parameters):
        problem = make_problem(environment_type())
        agent = agent_of(learner)(problem, make_config(**parameters), np.random.default_rng(1))
        agent.learner.take(path)
        return Interaction(environment_type(), agent, seed=2)

    return make


@pytest.mark.parametrize("parameters", [{}, {"prior_scale": 0.0, "mask_probability": 1.0}])
@pytest.mark.parametrize("loss", ["huber", "squared"])
@pytest.mark.parametrize("learner", [BootstrappedDQN, Double, StoringMasks])
def test_sixty_updates_are_those_of_torch(learner, loss, parameters, make_run):
    """Every weight, moment and target copy within 1e-5, rows of tables that lag included."""
    runs = [make_run(learner, path, loss=loss, **parameters) for path in paths.ALL]
    chunks = [run.advance(WARM_UP + 60) for run in runs]

    np.testing.assert_array_equal(chunks[0].actions, chunks[1].actions)
    states = [run.agent.state_dict()["learner"] for run in runs]
    assert states[0]["path"] != states[1]["path"]
    for found, expected in zip(*(state["networks"] for state in states), strict=True):
        close(found, expected)


def close(found, expected):
    """All numbers of two states are within 1e-5."""
    assert set(found) == set(expected)
    for name, value in found.items():
        if isinstance(value, dict):
            close(value, expected[name])
        elif value is not None:
            pair = (np.asarray(each, dtype=float) for each in (value, expected[name]))
            np.testing.assert_allclose(*pair, rtol=0, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("learner", [BootstrappedDQN, Double, StoringMasks])
def test_first_actions_are_those_of_torch(learner, make_run):
    """500 steps."""
    chunks = [make_run(learner, path).advance(500) for path in paths.ALL]

    np.testing.assert_array_equal(chunks[0].actions, chunks[1].actions)


def doubled(net: Net) -> Net:
    """The same network in float64, one-hot inputs as before."""
    flats = (part.astype(np.float64) for part in net[:4])
    table = net.table._replace(blocks=net.table.blocks.astype(np.float64))
    return Net(*flats, net.at, table, *net[6:])


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_gradient_is_that_of_finite_differences(loss, make_run):
    """In float64, of a loss evaluated apart, by every weight of the layers of one member."""
    run = make_run(Double, paths.COMPILED, loss=loss, one_hot="no")
    run.advance(100)
    learner = run.agent.learner
    replica = learner.compiled_replicas[0]
    replica.draw()
    net, rule, b = doubled(replica.net(learner.q)), learner.rule(), 1
    batch = replica.batch._replace(
        x=replica.batch.x.astype(np.float64), rewards=replica.batch.rewards.astype(np.float64)
    )
    prior = replica.prior("q").astype(np.float64)
    n = batch.now.size
    space = space_of(net, n)
    looked_at = net, batch, b, rule, prior, space
    descend(*looked_at, False)
    targets = [target(batch, i, space) if batch.mask[b, i] else 0.0 for i in range(n)]
    descend(*looked_at, True)

    def value() -> float:
        descend(*looked_at, False)
        return sum(
            loss_of(space.online.out[space.online.place[batch.now[i]], batch.actions[i]] - t, loss)
            for i, t in enumerate(targets)
            if batch.mask[b, i]
        ) / (net.members * n)

    for place, gradient in weights_of(net, space.gradient, b):
        kept = net.flat[place]
        ends = []
        for move in (1e-6, -1e-6):
            net.flat[place] = kept + move
            ends.append(value())
        net.flat[place] = kept
        assert gradient == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-9)


@compiled
def descend(net, batch, b, rule, prior, space, derives):
    """Both forward passes of a member, and the backward pass where that is wanted.

    One function, for numba takes seconds to write an entrance for as many arrays.
    """
    n_learning, count = values.choose_online(batch, b, rule, space.online)
    n_target = values.choose_target(batch, b, space.target)
    first = space.first
    values.evaluate(net, net.flat, first.online, batch, b, count, prior, space.online)
    values.evaluate(net, net.target, first.target, batch, b, n_target, prior, space.target)
    if derives:
        values.derive_values(net, batch, b, rule, space, n_learning)
        backward(net, space.online, b, n_learning, space.gradient, space.first)


def target(batch, i, space):
    """The double target, by numpy."""
    if batch.discounts[i] == 0.0:
        return batch.rewards[i]
    site = batch.following[i]
    best = space.online.out[space.online.place[site]].argmax()
    copied = space.target.out[space.target.place[site], best]
    return batch.rewards[i] + batch.discounts[i] * copied


def loss_of(error, loss):
    """Huber's loss or the square."""
    if loss == "squared":
        return error**2
    return error**2 / 2 if abs(error) <= 1 else abs(error) - 0.5


def weights_of(net, gradient, b):
    """Places in the flat array of a member's weights, each with its derivative."""
    h, width, outputs = net.hidden, net.members * net.hidden, net.outputs
    for c in range(net.inputs):
        yield from enumerate(gradient.w1[c, :h], net.at[0] + c * width + b * h)
    shapes = {"b1": (h,), "w2": (h, h), "b2": (h,), "w3": (outputs, h), "b3": (outputs,)}
    for number, (layer, shape) in enumerate(shapes.items(), 1):
        derivatives = getattr(gradient, layer)[tuple(slice(n) for n in shape)]
        yield from enumerate(derivatives.ravel(), net.at[number] + b * derivatives.size)


def test_a_changed_part_of_learning_is_not_lost(make_run, make_learner, environment_type):
    """A class that changes the target without its compiled form learns in torch."""
    changed = make_learner(environment_type(), learner=Changed)

    assert changed.path == paths.TORCH
    assert make_learner(environment_type(), learner=Double).path == paths.COMPILED


def test_without_numba_torch_learns(make_learner, environment_type, monkeypatch):
    """The fallback."""
    monkeypatch.setattr(paths, "available", lambda: False)

    assert make_learner(environment_type()).path == paths.TORCH


@pytest.mark.parametrize("path", paths.ALL)
def test_a_saved_state_goes_on_on_its_path(path, make_run, monkeypatch):
    """Bit for bit, whatever path the agent would take; where it cannot, it is refused."""
    run = make_run(Double, path)
    run.advance(60)
    state = pickle.loads(pickle.dumps(run.agent.state_dict()))
    other = make_run(Double, paths.COMPILED if path == paths.TORCH else paths.TORCH)
    other.advance(60)
    other.agent.load_state_dict(state)
    assert other.agent.learner.path == path

    monkeypatch.setattr(paths, "available", lambda: False)
    fresh = make_run(Double, paths.TORCH)
    if path == paths.COMPILED:
        with pytest.raises(CheckpointError, match="compiled"):
            fresh.agent.load_state_dict(state)
    else:
        fresh.agent.load_state_dict(state)


def test_states_are_laid_out_alike(make_run):
    """What one path saves, the other could read: same names, shapes and types."""
    first, second = (shapes(make_run(Double, path).agent.state_dict()) for path in paths.ALL)

    assert first == second


def shapes(value):
    """The layout of a state."""
    if isinstance(value, dict):
        return {name: shapes(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shapes(each) for each in value]
    if isinstance(value, torch.Tensor | np.ndarray):
        return tuple(value.shape), str(value.dtype)
    return type(value)

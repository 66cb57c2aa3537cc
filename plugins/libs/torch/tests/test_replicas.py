"""Replicas in one process, and saved states."""

import copy
import pickle

import numpy as np
import pytest
import torch

from mfbpi_core import Interaction
from mfbpi_core.errors import CheckpointError, UsageError
from mfbpi_core.running.lockstep import step
from mfbpi_lib_torch import device
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.learning.replicas import DeepReplicas
from mfbpi_lib_torch.testing import Plain

SEEDS = (3, 4, 5)


class PlainReplicas(DeepReplicas):
    """Several of them."""

    learner_type = BootstrappedDQN


def test_replicas_take_the_steps_of_single_agents(environment_type, make_problem, make_config):
    """Three side by side: the transitions, weights and recommendations of three on their own."""
    problem = make_problem(environment_type())
    rngs = [np.random.default_rng(seed) for seed in SEEDS]
    replicas = PlainReplicas(problem, make_config(), rngs)
    interactions = [
        Interaction(environment_type(), agent, seed=10 * seed)
        for agent, seed in zip(replicas.agents, SEEDS, strict=True)
    ]
    taken = zip(*(step(replicas, interactions) for _ in range(150)), strict=True)
    chunks = [i.gathered(list(steps)) for i, steps in zip(interactions, taken, strict=True)]

    for r, seed in enumerate(SEEDS):
        agent = Plain(problem, make_config(), np.random.default_rng(seed))
        expected = Interaction(environment_type(), agent, seed=10 * seed).advance(150)
        np.testing.assert_array_equal(chunks[r].actions, expected.actions)
        np.testing.assert_array_equal(chunks[r].observations, expected.observations)
        own = slice(4 * r, 4 * r + 4)
        torch.testing.assert_close(
            replicas.learner.q.layers.w2[own], agent.learner.q.layers.w2, rtol=1e-4, atol=1e-5
        )
        for observation in expected.observations[-10:]:
            assert replicas.agents[r].recommend(observation) == agent.recommend(observation)


def test_a_replica_is_not_stepped_alone(make_problem, make_config, small_sea):
    """Acting or learning on its own is refused with what to do."""
    rngs = [np.random.default_rng(seed) for seed in (1, 2)]
    replicas = PlainReplicas(make_problem(small_sea()), make_config(), rngs)
    with pytest.raises(UsageError, match="select_actions"):
        replicas.agents[0].select_action(small_sea().reset(seed=0)[0])
    with pytest.raises(UsageError, match="update of its replicas"):
        replicas.agents[0].update(None)


def test_resuming_is_exact(environment_type, make_problem, make_config):
    """Saved in the middle and loaded into an agent of another seed: the same steps, to the bit."""
    problem = make_problem(environment_type())
    first = Plain(problem, make_config(), np.random.default_rng(1))
    run = Interaction(environment_type(), first, seed=7)
    run.advance(75)
    state = pickle.loads(pickle.dumps(first.state_dict()))
    kept = copy.deepcopy(state)
    world = copy.deepcopy(run)
    expected = run.advance(80)

    second = Plain(problem, make_config(), np.random.default_rng(2))
    second.load_state_dict(state)
    world.agent = second
    again = world.advance(80)

    np.testing.assert_array_equal(expected.actions, again.actions)
    np.testing.assert_array_equal(expected.observations, again.observations)
    np.testing.assert_array_equal(first.learner.q.flat, second.learner.q.flat)
    np.testing.assert_array_equal(
        state["learner"]["networks"][0]["flat"], kept["learner"]["networks"][0]["flat"]
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_goes_on_alone(copied, environment_type, make_problem, make_config):
    """The same steps as the original, which it leaves alone; its state is what it has learnt."""
    agent = Plain(make_problem(environment_type()), make_config(), np.random.default_rng(1))
    run = Interaction(environment_type(), agent, seed=7)
    run.advance(75)
    world, other = copy.deepcopy(run), copied(agent)
    world.agent = other
    before = agent.learner.q.flat.copy()

    again = world.advance(80)
    np.testing.assert_array_equal(agent.learner.q.flat, before)
    expected = run.advance(80)

    np.testing.assert_array_equal(expected.actions, again.actions)
    np.testing.assert_array_equal(agent.learner.q.flat, other.learner.q.flat)
    assert not np.array_equal(agent.learner.q.flat, before)


def test_a_state_loads_into_an_agent_that_has_acted(environment_type, make_problem, make_config):
    """Outputs of its own priors, remembered for the observation it saw last, are forgotten."""
    problem, config = make_problem(environment_type()), make_config(exploration_steps=0.0)
    saved, fresh, used = (Plain(problem, config, np.random.default_rng(n)) for n in (1, 2, 3))
    world = Interaction(environment_type(), saved, seed=7)
    world.advance(30)
    used.select_action(world.observation)

    runs = []
    for agent in (fresh, used):
        agent.load_state_dict(saved.state_dict())
        other = copy.deepcopy(world)
        other.agent = agent
        other.advance(60)
        runs.append(agent.state_dict()["learner"])

    first, second = (run["lanes"][0]["replay"]["columns"] for run in runs)
    np.testing.assert_equal(first, second)
    np.testing.assert_array_equal(fresh.learner.q.flat, used.learner.q.flat)


def elsewhere(monkeypatch) -> None:
    """Let torch's own name of the CPU be another device: tensors, and the path of torch."""
    monkeypatch.setattr(device, "resolve", lambda name: "cpu:0" if name == "cuda" else name)


def test_any_device_takes_the_steps_of_torch(
    environment_type, make_problem, make_config, monkeypatch
):
    """Tensors of their own instead of shared arrays: the same steps, and states for either."""
    elsewhere(monkeypatch)
    problem, runs = make_problem(environment_type()), []
    for name in ("cpu", "cuda"):
        agent = Plain(problem, make_config(device=name), np.random.default_rng(1))
        agent.learner.take(paths.TORCH)
        runs.append(Interaction(environment_type(), agent, seed=7))
    here, there = (run.advance(60) for run in runs)
    np.testing.assert_array_equal(here.actions, there.actions)
    assert isinstance(runs[1].agent.learner.q.flat, torch.Tensor)

    states = [run.agent.state_dict() for run in runs]
    np.testing.assert_equal(*states)
    for run, state in zip(runs, reversed(states), strict=True):
        run.agent.load_state_dict(state)
    here, there = (run.advance(20) for run in runs)
    np.testing.assert_array_equal(here.actions, there.actions)


def test_states_are_arrays(environment_type, make_problem, make_config, monkeypatch):
    """Whatever device the numbers live on, so that they load on any."""
    elsewhere(monkeypatch)

    def tensors(value):
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, dict):
            yield from (t for item in value.values() for t in tensors(item))
        elif isinstance(value, list):
            yield from (t for item in value for t in tensors(item))

    agent = Plain(
        make_problem(environment_type()), make_config(device="cuda"), np.random.default_rng(1)
    )
    assert not list(tensors(agent.state_dict()))


def test_states_of_other_sizes_are_refused(environment_type, make_learner):
    """Another ensemble, or something else altogether: an error that says what fits."""
    state = make_learner(environment_type()).state_dict()
    with pytest.raises(CheckpointError, match="same problem and parameters"):
        make_learner(environment_type(), hidden=16).load_state_dict(state)
    with pytest.raises(CheckpointError, match="expected"):
        make_learner(environment_type()).load_state_dict({"weights": 1})


@pytest.mark.parametrize("path", paths.ALL)
def test_states_of_another_prior_are_refused(environment_type, make_learner, path):
    """Outputs of both scales would lie in one replay buffer; nothing is taken over."""
    saved, other = (make_learner(environment_type(), prior_scale=scale) for scale in (3.0, 4.0))
    saved.take(path)
    before = other.state_dict()
    with pytest.raises(CheckpointError, match=r"Prior\.scale is 3\.0; expected 4\.0"):
        other.load_state_dict(saved.state_dict())
    np.testing.assert_equal(other.state_dict(), before)
    other.load_state_dict(before)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")
def test_a_gpu_takes_the_steps_of_the_cpu(environment_type, make_problem, make_config):
    """The same seed on both: the same first actions; a state saved on one loads on the other."""
    problem = make_problem(environment_type())
    runs = []
    for name in ("cpu", "cuda"):
        agent = Plain(problem, make_config(device=name), np.random.default_rng(1))
        runs.append(Interaction(environment_type(), agent, seed=7))
    on_cpu, on_gpu = (run.advance(40) for run in runs)
    np.testing.assert_array_equal(on_cpu.actions, on_gpu.actions)

    for source, destination in ((0, 1), (1, 0)):
        runs[destination].agent.load_state_dict(runs[source].agent.state_dict())
        runs[destination].advance(20)


def test_replicas_are_advised_against_on_a_cpu(make_config):
    """They cost as much together as one after the other; on a GPU nothing is said."""
    assert "device=cuda" in PlainReplicas.advice(make_config())
    assert PlainReplicas.advice(make_config(device="cuda")) == ""

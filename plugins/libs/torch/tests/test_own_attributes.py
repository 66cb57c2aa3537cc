"""What a subclass of an agent has for itself is in its state, and what it spawns goes on."""

import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.state import restored
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.testing import Plain, array_problem, drawn_observation


class Counts(Plain):
    """Acts otherwise after 30 steps, and looks at weights by a name of its own."""

    t = 0

    def __init__(self, *args):
        super().__init__(*args)
        self.seen, self.q, self.noise = {"x": [np.zeros(2)]}, self.learner.q, None

    def select_action(self, observation):
        """By its own number of steps."""
        self.t += 1
        action = super().select_action(observation)
        return action if self.t <= 30 else 1 - action


class Spawns(Plain):
    """Draws from generators that it makes as it goes."""

    def select_action(self, observation):
        """By a new one."""
        super().select_action(observation)
        return int(self.rng.spawn(1)[0].integers(2))


class Noise(Plain):
    """Draws from a generator of its own."""

    def __init__(self, *args):
        super().__init__(*args)
        self.noise = self.rng.spawn(1)[0]

    def select_action(self, observation):
        """By it."""
        super().select_action(observation)
        return int(self.noise.integers(2))


def acted(agent, rng, steps=30):
    """What it does, learning as it goes."""
    actions = []
    for _ in range(steps):
        x, y = drawn_observation(rng, (3,)), drawn_observation(rng, (3,))
        actions.append(agent.select_action(x))
        agent.update(Transition(x, actions[-1], rng.random(), y))
    return actions


def made(kind, seed, path=paths.TORCH):
    """A small agent."""
    config = DeepConfig(ensemble_size=3, hidden=6, batch_size=8)
    agent = kind(array_problem(), config, np.random.default_rng(seed))
    agent.learner.take(path)
    return agent


@pytest.mark.parametrize("kind", [Plain, Counts, Spawns, Noise])
def test_an_agent_of_another_seed_goes_on(kind):
    """Out of a checkpoint, with the actions that would have come."""
    agent, other = made(kind, 0), made(kind, 9)
    acted(agent, np.random.default_rng(1))
    other.load_state_dict(restored(agent.state_dict()))
    first, second = (acted(each, np.random.default_rng(2)) for each in (agent, other))
    assert first == second
    assert other.rng is other.learner.lanes[0].rng


def test_what_a_state_holds():
    """Plain attributes alone; nothing for an agent that has none of its own."""
    agent = made(Counts, 0)
    acted(agent, np.random.default_rng(1))
    assert set(made(Plain, 0).state_dict()) == {"learner"}
    assert set(agent.state_dict()["own"]) == {"t", "seen", "noise"}
    assert agent.state_dict()["own"]["t"] == 30


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"other": 1}, "expected only 'learner' in it, and 'own'"),
        ({"own": {"update": 1}}, "'update', which is none of Counts's own"),
        ({"own": {"rng": 1}}, "'rng', which is none"),
        ({"own": 3}, "expected a mapping"),
    ],
)
def test_what_no_state_holds(change, match):
    """Nothing is taken over of it."""
    agent, saved = made(Counts, 0), made(Counts, 1)
    acted(saved, np.random.default_rng(1))
    with pytest.raises(CheckpointError, match=match):
        agent.load_state_dict({**saved.state_dict(), **change})
    assert agent.t == agent.learner.lanes[0].steps == 0


def test_states_without_seeds_load():
    """Those of versions before have none."""
    agent, saved = made(Plain, 0), made(Plain, 1)
    acted(saved, np.random.default_rng(1))
    state = saved.state_dict()
    for part in (state["learner"]["lanes"][0], state["learner"]["lanes"][0]["replay"]):
        del part["rng"]["seed_seq"]
    agent.load_state_dict(state)
    assert agent.rng.random() == saved.rng.random()


def test_seeds_that_are_none():
    """Refused as a part of the state."""
    agent = made(Plain, 0)
    state = agent.state_dict()
    state["learner"]["lanes"][0]["rng"]["seed_seq"] = {"entropy": 1.5, "pool_size": 4}
    with pytest.raises(CheckpointError, match=r"a seed is 1\.5"):
        agent.load_state_dict(state)

"""Whatever an environment shows that it did not declare, every agent's run ends in one clear line.

Each agent meets each wrong value once, in its seventh step: of the state, the reward and the flags.
"""

import math

import numpy as np
import pytest

from mfbpi_core import Interaction, Problem, Registry
from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins import assembly
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment, two_state_chain

REGISTRY = Registry.discover()
AGENTS = REGISTRY.of_kind("agent")

#: An integer that no float64 can be.
BEYOND = 10**400

#: Step in which the environments below go wrong.
BAD_STEP = 7

ODD = (None, "1", b"1", 1j, {}, [], object, np.datetime64("NaT"), np.array([[0.5]]), np.array("0"))
STATES = (*ODD, math.nan, math.inf, -1, 2, 10**30, 0.5, 1.0, True, np.float64(1.0), np.zeros(2))
ARRAYS = (*ODD, 1, math.nan, np.full(2, np.nan), np.array([0.0, np.inf]), np.zeros(3), np.zeros(0))
REWARDS = (*ODD, math.nan, -math.inf, np.float32("nan"), 5.0, -0.5, BEYOND, np.array([0.5]))
FLAGS = (*ODD, math.nan, 2, -1, 0.5, np.zeros(2, dtype=np.bool_))
EXPECTED = "reward {}; expected", "terminated is {}; expected", "truncated is {}; expected"


class Wrong(ModelEnvironment):
    """Shows something else in one step."""

    def __init__(self, place, value):
        super().__init__(two_state_chain(), 10)
        self.place, self.value, self.taken = place, value, 0

    def step(self, action):
        """As the chain, but once."""
        self.taken += 1
        shown = list(super().step(action))
        if self.taken == BAD_STEP:
            shown[self.place] = self.value
        return tuple(shown)


class WrongArrays(Wrong, OneHotEnvironment):
    """The same with arrays."""


def _run(plugin, kind, place, value):
    """What ends the run of an agent in an environment that goes wrong; None if nothing does."""
    environment = kind(place, value)
    problem = Problem(
        n_states=environment.n_states,
        n_actions=environment.n_actions,
        observation_shape=environment.observation_shape,
        discount=0.9,
        horizon=1_000,
    )
    part = assembly.Part(plugin, plugin.load_config()())
    agent = assembly.agent(REGISTRY, part, problem, np.random.default_rng(0))
    try:
        Interaction(environment, agent, 0, environment_name="environment odd").advance(20)
    except PluginError as error:
        return str(error)
    return None


@pytest.mark.parametrize("plugin", AGENTS, ids=lambda plugin: plugin.spec.name)
def test_one_line_names_step_pair_value_and_range(plugin):
    """For about fifty values, before the agent learns from any."""
    kind = Wrong if plugin.spec.needs <= Wrong(0, 0).provides else WrongArrays
    says = ("observation {}", *EXPECTED)
    tried = [STATES if kind is Wrong else ARRAYS, REWARDS, FLAGS, FLAGS]
    unclear = []
    for place, values in enumerate(tried):
        for value in values:
            line = _run(plugin, kind, place, value) or "no error"
            words = (
                f"environment odd at step {BAD_STEP}, observation ",
                ", action ",
                says[place].format(exact.shown(value)),
                "expected ",
            )
            if not all(word in line for word in words) or "\n" in line:
                unclear.append((place, value, line))

    assert unclear == []

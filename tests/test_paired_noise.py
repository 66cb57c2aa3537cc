"""Two agents at the same seed meet the same environment noise, so that they can be paired."""

import attrs
import numpy as np
import pytest

from mfbpi_core import Interaction, PluginRef, Problem, Registry, Streams
from mfbpi_core.plugins import assembly
from mfbpi_env_garnet.environment import Config, Garnet

TABULAR = ("mf_bpi", "q_learning", "q_ucb", "psrl", "mdp_nas", "ps_mdp_nas", "o_bpi")
N_STEPS = 400


@attrs.frozen(eq=False)
class _Noise:
    """The uniform numbers behind each step: for the next state, and for the reward."""

    numbers: np.ndarray  # [n, 2]

    @classmethod
    def of_seed(cls, seed: int) -> "_Noise":
        """What a Bernoulli environment draws: one number to start, then two a step."""
        rng = np.random.default_rng(Streams(seed).integer("env"))
        rng.random()
        return cls(rng.random((N_STEPS, 2)))


def _run(name: str, seed: int) -> tuple[Garnet, Interaction, dict[str, np.ndarray]]:
    """A run of an agent of that name, as the runner would build it."""
    environment = Garnet(Config(n_states=6))
    problem = Problem(n_states=6, n_actions=3, discount=0.9, horizon=N_STEPS)
    streams = Streams(seed)
    rng = streams.generator("agent")
    registry = Registry.discover()
    part = assembly.find(registry, "agent", PluginRef(name=name))
    agent = assembly.agent(registry, part, problem, rng)
    interaction = Interaction(environment, agent, streams.integer("env"))
    chunk = interaction.advance(N_STEPS)
    columns = {
        "s": chunk.observations,
        "a": chunk.actions,
        "r": chunk.rewards,
        "s2": chunk.next_observations,
    }
    return environment, interaction, columns


@pytest.mark.parametrize("name", TABULAR)
def test_steps_are_determined_by_the_noise_of_the_seed(name):
    """Step t of every agent is the same function of its pair (s, a) and of noise number t."""
    environment, _, steps = _run(name, seed=4)
    noise = _Noise.of_seed(4).numbers
    mdp = environment.model
    for t in range(N_STEPS):
        s, a = steps["s"][t], steps["a"][t]
        slot = np.searchsorted(np.cumsum(mdp.probabilities[s, a])[:-1], noise[t, 0], side="right")

        assert steps["s2"][t] == mdp.successors[s, a, slot]
        assert steps["r"][t] == float(noise[t, 1] < mdp.rewards[s, a, slot])


def test_agents_leave_the_same_generator_behind():
    """After a run the environment's generator does not depend on who acted, only on the seed."""
    states = [_run(name, seed=4)[0].state_dict()["rng"] for name in TABULAR]

    assert all(state == states[0] for state in states)
    assert _run("q_learning", seed=5)[0].state_dict()["rng"] != states[0]


def test_agents_act_differently_in_the_same_noise():
    """The comparison is one of agents: their actions are not all the same."""
    actions = {name: _run(name, seed=4)[2]["a"] for name in TABULAR}

    for name in TABULAR[1:]:
        assert (actions[name] != actions["mf_bpi"]).any()

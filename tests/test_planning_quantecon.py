"""Optimal values against quantecon's, an independent solver, on every tabular environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from quantecon.markov import DiscreteDP

import mfbpi
from mfbpi_core import PluginRef, Registry, TabularMDP
from mfbpi_core.plugins import assembly
from mfbpi_lib_tabular.solution import planning

DISCOUNT = 0.95

TOY_TEXTS = ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1"]

INSTALLED = sorted(
    {plugin.spec.name for plugin in Registry.discover().of_kind("environment")} - {"gymnasium"}
)


def values_of(mdp: TabularMDP) -> Any:
    """V* by quantecon, [S]."""
    problem = DiscreteDP(mdp.mean_rewards, mdp.transitions, DISCOUNT)
    return problem.solve(method="policy_iteration").v


def agrees(mdp: TabularMDP, expected: Any) -> None:
    """Ours are the same up to rounding."""
    found = planning.solve(mdp, DISCOUNT).values
    assert found[: len(expected)] == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", INSTALLED)
def test_our_environments(name: str) -> None:
    """Every installed environment that has a model."""
    registry = Registry.discover()
    part = assembly.find(registry, "environment", PluginRef(name=name))
    model = assembly.environment(part).model
    if model is None:
        pytest.skip("it has no model")
    agrees(model, values_of(model))


@pytest.mark.parametrize("name", [*TOY_TEXTS, "Taxi-v4"])
def test_gymnasiums_tables(name: str) -> None:
    """As P has them, every state: an end is worth 0, whatever state it is shown as."""
    raw: Any = gymnasium.make(name).unwrapped
    n_states, n_actions = int(raw.observation_space.n), int(raw.action_space.n)
    transitions = np.zeros((n_states + 1, n_actions, n_states + 1))  # the last is any end
    rewards = np.zeros((n_states + 1, n_actions))
    transitions[-1, :, -1] = 1.0
    for s in range(n_states):
        for a in range(n_actions):
            for probability, following, reward, terminated in raw.P[s][a]:
                transitions[s, a, -1 if terminated else following] += probability
                rewards[s, a] += probability * reward
    expected = DiscreteDP(rewards, transitions, DISCOUNT).solve(method="policy_iteration").v
    model = mfbpi.make_environment(f"gymnasium:{name}", unreachable="keep").model
    assert model is not None
    live = np.flatnonzero(~model.terminal[:n_states])
    found = planning.solve(model, DISCOUNT).values
    assert found[live] == pytest.approx(expected[live], rel=1e-10, abs=1e-10)

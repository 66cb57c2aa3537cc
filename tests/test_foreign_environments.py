"""Environments of other libraries, swept: each is run, or one sentence says why not."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest

from mfbpi_core import Environment, PluginRef, Registry
from mfbpi_core.errors import MfbpiError
from mfbpi_core.plugins import assembly
from mfbpi_core.running.guard import Guard

#: Steps that each of them takes.
N_STEPS = 200

#: All that Gymnasium registers; most of those without their packages are refused with a reason.
GYMNASIUM = sorted(name for name in gymnasium.registry if not name.startswith("mfbpi/"))

BSUITE = [
    f"{name}/0"
    for name in (
        "bandit",
        "bandit_noise",
        "bandit_scale",
        "cartpole",
        "cartpole_swingup",
        "catch",
        "catch_noise",
        "deep_sea",
        "deep_sea_stochastic",
        "discounting_chain",
        "memory_len",
        "memory_size",
        "mountain_car",
        "umbrella_distract",
        "umbrella_length",
    )
]

#: Those that must run wherever Gymnasium alone is installed.
MUST_RUN = {
    "Acrobot-v1",
    "Blackjack-v1",
    "CartPole-v1",
    "CliffWalking-v1",
    "CliffWalkingSlippery-v1",
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "MountainCar-v0",
    "Taxi-v4",
}


@pytest.mark.parametrize(
    "name", [f"gymnasium:{each}" for each in GYMNASIUM] + [f"bsuite:{each}" for each in BSUITE]
)
def test_it_runs_or_says_why_not(name: str) -> None:
    """Random actions, everything that passes checked as the loop does; or a single line."""
    registry = Registry.discover()
    plugin, parameters = assembly.find_environment(registry, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Gymnasium's, about older versions
            ref = PluginRef(name=name, config=parameters)
            environment: Environment | None = _built(registry, ref)
    except MfbpiError as error:
        environment, reason = None, str(error)
    if environment is not None:
        _play(environment, name)
        return
    assert name.partition(":")[2] not in MUST_RUN
    assert plugin.spec.name == "gymnasium"
    assert len(reason) > 20
    assert "\n" not in reason


def _built(registry: Registry, ref: PluginRef) -> Environment:
    return assembly.environment(assembly.find(registry, "environment", ref))


def _play(environment: Environment, name: str) -> None:
    guard, rng = Guard(environment, name, "random"), np.random.default_rng(0)
    observation = guard.first(environment.reset(seed=0), 0)
    for step in range(1, N_STEPS + 1):
        action = int(rng.integers(environment.n_actions))
        observation, _, terminated, truncated = guard.outcome(
            environment.step(action), observation, action, step
        )
        if terminated or truncated:
            observation = guard.first(environment.reset(), step)


def test_at_least_thirty_are_swept() -> None:
    """The sweep is not empty by accident."""
    assert len(GYMNASIUM) + len(BSUITE) >= 30
    assert set(GYMNASIUM) >= MUST_RUN

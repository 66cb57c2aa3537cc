"""Walks through an environment with actions chosen in advance."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from mfbpi_core.contracts.environment import Environment

#: Steps of one trajectory.
N_STEPS = 300

#: Chance of repeating the action before, so that a walk gets somewhere.
PERSISTENCE = 0.75


def actions_for(environment: Environment, n_steps: int) -> list[int]:
    """Random actions that often repeat the one before, so as to get somewhere."""
    rng = np.random.default_rng(1)
    proposed = rng.integers(environment.n_actions, size=n_steps)
    kept = rng.random(n_steps) < PERSISTENCE
    actions = [int(proposed[0])]
    for action, keep in zip(proposed[1:], kept[1:], strict=True):
        actions.append(actions[-1] if keep else int(action))
    return actions


def trajectory(environment: Environment, actions: list[int], seed: int | None) -> list[object]:
    """What an environment shows, resets included; observations are copied."""
    return list(walk(environment, actions, seed))


def walk(environment: Environment, actions: list[int], seed: int | None) -> Iterator[object]:
    """The same, one item at a time."""
    yield copy.deepcopy(environment.reset(seed=seed)[0])
    yield from steps(environment, actions)


def steps(environment: Environment, actions: list[int]) -> Iterator[object]:
    """From where it stands: ``(observation, reward, terminated, truncated)`` of each step.

    After the end of an episode comes the first observation of the next one.
    """
    for action in actions:
        observation, reward, terminated, truncated, _ = environment.step(action)
        yield copy.deepcopy(observation), float(reward), bool(terminated), bool(truncated)
        if terminated or truncated:
            yield copy.deepcopy(environment.reset()[0])

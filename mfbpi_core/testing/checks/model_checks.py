"""Checks of environments that have a model: what happens agrees with what the model says.

How frequencies are compared, and with what chance of error: see the module ``goodness``.
"""

from __future__ import annotations

import warnings

import numpy as np

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.errors import ModelWarning
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import ENVIRONMENT_SEED, Subject
from mfbpi_core.testing.tools import law, simulation
from mfbpi_core.testing.tools.goodness import ROUNDING
from mfbpi_core.testing.tools.trajectories import actions_for

#: Steps whose frequencies are compared with the model, and first states likewise; in a simulator,
#: where steps cost next to nothing, more: what is seldom seen is judged as well.
N_STEPS = 20_000
N_RESETS = 2_000
N_ROLLED = 100_000

#: Largest model that is compared, in entries of a dense [S, A, S] array.
LARGEST_MODEL = 4_000_000


def model_is_valid(subject: Subject) -> None:
    """The model has the environment's sizes, rows that sum to one, and pays nothing when over."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        environment = subject.environment()
        model = _model(environment)
    sizes = (model.n_states, model.n_actions)
    declared = (environment.n_states, environment.n_actions)
    expected = declared if environment.n_states is not None else (sizes[0], declared[1])
    require(sizes == expected, f"the model has (S, A) = {sizes}; the environment {expected}")
    low, high = environment.reward_range
    inside = (model.reward_range[0] >= low) and (model.reward_range[1] <= high)
    require(inside, f"the model's rewards are in {model.reward_range}; declared: {(low, high)}")
    require((model.probabilities >= 0.0).all(), "the model has a negative probability")
    wrong = np.argwhere(np.abs(model.probabilities.sum(axis=2) - 1.0) > ROUNDING)
    for s, a in wrong[:1]:
        total = model.probabilities[s, a].sum()
        require(False, f"the transition probabilities of (s={s}, a={a}) sum to {total:.12g}")


def transitions_follow_model(subject: Subject) -> None:
    """Transition frequencies agree with the model, each and all together; see ``goodness``."""
    environment = subject.environment()
    model = _comparable(environment)
    law.require_transitions(model, _walk(environment))


def rewards_follow_model(subject: Subject) -> None:
    """Rewards obey the model's law, and their means agree with the model's."""
    environment = subject.environment()
    model = _comparable(environment)
    law.require_rewards(model, _walk(environment))


def termination_follows_model(subject: Subject) -> None:
    """An episode terminates on arrival at the model's terminal states, and only there."""
    environment = subject.environment()
    model = _comparable(environment)
    law.require_terminations(model, _walk(environment))


def initial_states_follow_model(subject: Subject) -> None:
    """First states are drawn from the model's initial distribution."""
    environment = subject.environment()
    model = _comparable(environment)
    first = [environment.reset(seed=ENVIRONMENT_SEED)[0]]
    first += [environment.reset()[0] for _ in range(N_RESETS - 1)]
    law.require_first_states(model, first)


def simulator_follows_step(subject: Subject) -> None:
    """A rollout in the simulator takes the steps of `step` and `reset`, bit for bit."""
    simulation.require_same_steps(subject, simulation.rolled(subject, N_STEPS))


def simulator_follows_model(subject: Subject) -> None:
    """A rollout in the simulator obeys the model: transitions, rewards, ends and first states."""
    model = _comparable(subject.environment())
    steps = simulation.rolled(subject, N_ROLLED)
    law.require_transitions(model, steps)
    law.require_rewards(model, steps)
    law.require_terminations(model, steps)
    ends = np.flatnonzero((steps.terminated | steps.truncated)[:-1])
    law.require_first_states(model, steps.observations[[0, *(ends + 1)]])


def _model(environment: Environment) -> TabularMDP:
    if environment.model is None:
        raise CheckSkipped("the environment has no model")
    return environment.model


def _comparable(environment: Environment) -> TabularMDP:
    model = _model(environment)
    if environment.n_states is None:
        raise CheckSkipped("the observations are not states of the model")
    if model.n_states**2 * model.n_actions > LARGEST_MODEL:
        raise CheckSkipped(f"a model of {model.n_states} states is too large to compare")
    return model


def _walk(environment: Environment) -> Transitions:
    """A long walk from a fixed seed."""
    state, _ = environment.reset(seed=ENVIRONMENT_SEED)
    steps = []
    for action in actions_for(environment, N_STEPS):
        following, reward, terminated, truncated, _ = environment.step(action)
        steps.append(Transition(state, action, reward, following, terminated, truncated))
        state = environment.reset()[0] if terminated or truncated else following
    return Transitions.from_steps(0, steps)


CHECKS = (
    model_is_valid,
    transitions_follow_model,
    rewards_follow_model,
    termination_follows_model,
    initial_states_follow_model,
    simulator_follows_step,
    simulator_follows_model,
)

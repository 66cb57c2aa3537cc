"""Checks of environments that have a model: what happens agrees with what the model says.

Frequencies are compared by Bernstein's inequality: the mean of n draws in a range of width w with
variance v is within sqrt(2 v L / n) + w L / (3 n) of its expectation, L = log(2 m / delta), for
all of m means at the same time with probability 1 - delta.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.environment import Environment
from mfbpi_core.mdp import TabularMDP
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import ENVIRONMENT_SEED, Subject
from mfbpi_core.testing.trajectories import actions_for

#: Steps whose frequencies are compared with the model, and first states likewise.
N_STEPS = 20_000
N_RESETS = 500

#: Probability that an environment which agrees with its model fails one of these checks.
DELTA = 1e-6

#: Largest model that is compared, in entries of a dense [S, A, S] array.
LARGEST_MODEL = 4_000_000

#: Distance from one of the sum of a row, and from the model of a deterministic reward.
ROUNDING = 1e-12

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(eq=False)
class Steps:
    """Columns of a walk: states, actions, rewards, next states, and where it ended."""

    s: npt.NDArray[np.int64]
    a: npt.NDArray[np.int64]
    r: FloatArray
    following: npt.NDArray[np.int64]
    terminated: npt.NDArray[np.bool_]

    def counts(self, model: TabularMDP) -> FloatArray:
        """N(s, a, s'), float64 [S, A, S]."""
        counts = np.zeros((model.n_states, model.n_actions, model.n_states))  # N[s, a, s']
        np.add.at(counts, (self.s, self.a, self.following), 1.0)
        return counts


def model_is_valid(subject: Subject) -> None:
    """The model has the environment's sizes, and rows of probabilities that sum to one."""
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
    """Transition frequencies agree with the model, within a bound that holds surely enough."""
    environment = subject.environment()
    model = _comparable(environment)
    counts = _walk(environment).counts(model)
    _require_frequencies(counts, model.transitions, "the model's P({2} | s={0}, a={1})")


def rewards_follow_model(subject: Subject) -> None:
    """Rewards obey the model's law, and their means agree with the model's."""
    environment = subject.environment()
    model = _comparable(environment)
    steps = _walk(environment)
    expected = _rewards(model)[steps.s, steps.a, steps.following]
    if model.reward_law == "deterministic":
        wrong = np.flatnonzero(np.abs(steps.r - expected) > ROUNDING)
    else:
        wrong = np.flatnonzero((steps.r != 0.0) & (steps.r != 1.0))
    for i in wrong[:1]:
        what = f"(s={steps.s[i]}, a={steps.a[i]}) paid {steps.r[i]:.6g} on the way to "
        mean = f"state {steps.following[i]}; the model says {expected[i]:.6g}"
        require(False, f"{what}{mean}, {model.reward_law}")
    if model.reward_law == "bernoulli":
        _require_mean_rewards(model, steps)


def _require_mean_rewards(model: TabularMDP, steps: Steps) -> None:
    visits = np.zeros((model.n_states, model.n_actions))  # N[s, a]
    paid = np.zeros((model.n_states, model.n_actions))  # sum of rewards [s, a]
    np.add.at(visits, (steps.s, steps.a), 1.0)
    np.add.at(paid, (steps.s, steps.a), steps.r)
    counts = np.stack([visits - paid, paid], axis=2)  # how often (s, a) paid 0 and 1
    means = np.stack([1.0 - model.mean_rewards, model.mean_rewards], axis=2)
    _require_frequencies(counts, means, "the model's P(reward {2} | s={0}, a={1})")


def termination_follows_model(subject: Subject) -> None:
    """An episode terminates on arrival at the model's terminal states, and only there."""
    environment = subject.environment()
    model = _comparable(environment)
    steps = _walk(environment)
    arrived = model.terminal[steps.following]
    wrong = np.flatnonzero(arrived != steps.terminated)
    for i in wrong[:1]:
        state, said = steps.following[i], bool(steps.terminated[i])
        advice = "a time limit is a truncation" if said else "expected the end of the episode"
        require(False, f"arrival at state {state} gave terminated={said}; {advice}")


def initial_states_follow_model(subject: Subject) -> None:
    """First states are drawn from the model's initial distribution."""
    environment = subject.environment()
    model = _comparable(environment)
    counts = np.zeros((1, 1, model.n_states))
    for number in range(N_RESETS):
        seed = ENVIRONMENT_SEED if number == 0 else None
        counts[0, 0, environment.reset(seed=seed)[0]] += 1.0
    _require_frequencies(counts, model.initial[None, None], "the model's P(first state is {2})")


def _require_frequencies(counts: FloatArray, probabilities: FloatArray, what: str) -> None:
    """Compare counts [S, A, X] with probabilities of the same shape."""
    visits = counts.sum(axis=2, keepdims=True)  # N[s, a, 1]
    visited = np.broadcast_to(visits > 0.0, counts.shape)
    n = np.maximum(visits, 1.0)
    level = np.log(2.0 * max(1, int(visited.sum())) / DELTA)
    variance = probabilities * (1.0 - probabilities)
    slack = np.sqrt(2.0 * np.maximum(variance, 0.0) * level / n) + level / (3.0 * n)
    slack[variance <= 0.0] = ROUNDING  # what never or always happens needs no allowance
    wrong = np.argwhere(visited & (np.abs(counts / n - probabilities) > slack))
    for i in wrong[:1]:
        place = tuple(int(k) for k in i)
        seen, said = counts[place], probabilities[place]
        trials = int(n[place[:2]].item())
        saying = (
            f"{what.format(*place)} is {said:.6g}, but it happened {int(seen)} of {trials} times"
        )
        require(False, f"{saying} (allowed: {slack[place]:.3g}, wrong with chance {DELTA:g})")


def _rewards(model: TabularMDP) -> FloatArray:
    """Dense mean rewards R[s, a, s']."""
    dense = np.zeros((model.n_states, model.n_actions, model.n_states))  # R[s, a, s']
    s, a, k = np.nonzero(model.probabilities > 0.0)
    dense[s, a, model.successors[s, a, k]] = model.rewards[s, a, k]
    return dense


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


def _walk(environment: Environment) -> Steps:
    """A long walk from a fixed seed."""
    state, _ = environment.reset(seed=ENVIRONMENT_SEED)
    rows = []
    for action in actions_for(environment, N_STEPS):
        following, reward, terminated, truncated, _ = environment.step(action)
        rows.append((state, action, reward, following, terminated))
        state = environment.reset()[0] if terminated or truncated else following
    s, a, r, s2, ended = (np.array(column) for column in zip(*rows, strict=True))
    return Steps(s, a, r, s2, ended)


CHECKS = (
    model_is_valid,
    transitions_follow_model,
    rewards_follow_model,
    termination_follows_model,
    initial_states_follow_model,
)

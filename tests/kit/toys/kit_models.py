"""Environments whose model, each in one respect, is not what they do."""

# ruff: noqa: D102 - methods are explained by their class

import attrs
import numpy as np
from kit_good import Chain

from mfbpi_core import EnvironmentSpec, TabularMDP, hookimpl
from mfbpi_core.testing.worlds.instances import (
    ModelEnvironment,
    two_state_chain,
    zeros_in_every_place,
)

#: What :class:`LeansALittle` leaves out.
LEAN = -0.025


class OtherSizes(Chain):
    """Has a model of three states."""

    @property
    def model(self):
        return TabularMDP.from_dense(np.full((3, 2, 3), 1.0 / 3.0), np.zeros((3, 2)))


class OpenRows(Chain):
    """Has a model, not validated, with a row that sums to 0.99."""

    @property
    def model(self):
        probabilities = self.mdp.probabilities.copy()
        probabilities[1, 0, 0] -= 0.01
        return attrs.evolve(self.mdp, probabilities=probabilities)


class OtherTransitions(Chain):
    """Says 0.72 where it does 0.8."""

    @property
    def model(self):
        transitions = self.mdp.transitions.copy()
        transitions[0, 0] = 0.72, 0.28
        return rebuilt(self.mdp, transitions=transitions)


class Impossible(Chain):
    """Does, rarely, what its model calls impossible."""

    @property
    def model(self):
        transitions = self.mdp.transitions.copy()
        transitions[1, 0] = 1.0, 0.0
        return rebuilt(self.mdp, transitions=transitions)


class OtherRewards(Chain):
    """Says 0.37 where it pays 0.3."""

    @property
    def model(self):
        rewards = self.mdp.mean_rewards.copy()
        rewards[0, 1] = 0.37
        return rebuilt(self.mdp, rewards=rewards)


class OtherLaw(Chain):
    """Says that rewards are deterministic where they are Bernoulli."""

    @property
    def model(self):
        return rebuilt(self.mdp, reward_law="deterministic")


class LimitTerminates(Chain):
    """Reports its time limit as a termination."""

    def step(self, action):
        observation, reward, _, truncated, info = super().step(action)
        return observation, reward, truncated, False, info


class GoesOn(Chain):
    """Goes on beyond its model's terminal state."""

    @property
    def model(self):
        rewards = [[0.1, 0.3], [0.0, 0.0]]
        return rebuilt(self.mdp, rewards=rewards, terminal=np.array([False, True]))


class OtherStart(Chain):
    """Says that the first state is 0 or 1 alike."""

    @property
    def model(self):
        return rebuilt(self.mdp, initial=[0.5, 0.5])


class LeansALittle(Chain):
    """Says a little else than it does everywhere, and nowhere so much that it shows alone."""

    @property
    def model(self):
        return rebuilt(self.mdp, transitions=self.mdp.transitions + LEAN * np.array([1.0, -1.0]))


class DrawsZeros(Chain):
    """Draws successors and first states of probability zero, where zeros stand inside a row."""

    def __init__(self, config):
        ModelEnvironment.__init__(self, zeros_in_every_place())
        self._cdf = closed_too_early(self.mdp.probabilities).tolist()
        self._first = closed_too_early(self.mdp.initial).tolist()


class PaysWhenOver(Chain):
    """Has a model that pays in a terminal state, where nothing is ever paid."""

    def __init__(self, config):
        ModelEnvironment.__init__(self, rebuilt(two_state_chain(), initial=[1.0, 0.0]))

    @property
    def model(self):
        rewards = [[0.1, 0.3], [0.2, 0.0]]
        return rebuilt(self.mdp, rewards=rewards, terminal=np.array([False, True]))

    def step(self, action):
        observation, reward, _, truncated, info = super().step(action)
        terminated = observation == 1
        return observation, reward, terminated, truncated and not terminated, info


class RewardFirst(Chain):
    """Draws the reward before the successor in its simulator, and after it in `step`."""

    @property
    def simulator(self):
        return sharing(self, _RewardFirst)


class _RewardFirst(Chain):
    """The simulator of :class:`RewardFirst`."""

    def step(self, action):
        before, rewards = self.state, self.mdp.mean_rewards
        reward = float(self.rng.random() < rewards[before, action])
        slot = self.draw(self._cdf[before][action])
        self.state = int(self.mdp.successors[before, action, slot])
        self.elapsed += 1
        return self.state, reward, False, self.elapsed >= self.max_episode_steps, {}


class SimulatorDrawsZeros(Chain):
    """The same fault as in :class:`DrawsZeros`, in its simulator alone."""

    def __init__(self, config):
        ModelEnvironment.__init__(self, zeros_in_every_place())

    @property
    def simulator(self):
        return sharing(self, _SimulatorDrawsZeros)


class _SimulatorDrawsZeros(Chain):
    """The simulator of :class:`SimulatorDrawsZeros`."""

    def step(self, action):
        exact, self._cdf = self._cdf, closed_too_early(self.mdp.probabilities).tolist()
        try:
            return super().step(action)
        finally:
            self._cdf = exact


def closed_too_early(probabilities):
    """Cumulative probabilities, infinite from where one positive entry remains."""
    cdf = np.cumsum(probabilities, axis=-1)
    remaining = np.cumsum(probabilities[..., ::-1] > 0.0, axis=-1)[..., ::-1]
    cdf[remaining <= 1] = np.inf
    return cdf


def sharing(environment, kind):
    """An environment of another kind with the very state of this one."""
    twin = object.__new__(kind)
    twin.__dict__ = vars(environment)
    return twin


def rebuilt(mdp, transitions=None, rewards=None, **changes):
    """The chain with something changed."""
    arguments = {"reward_law": mdp.reward_law, "initial": mdp.initial, **changes}
    return TabularMDP.from_dense(
        mdp.transitions if transitions is None else transitions,
        mdp.mean_rewards if rewards is None else rewards,
        **arguments,
    )


@hookimpl
def mfbpi_environments():
    """Yield one environment for each class."""
    for name, kind in globals().items():
        if not isinstance(kind, type) or name.startswith("_"):
            continue
        if issubclass(kind, Chain) and kind.__module__ == __name__:
            yield EnvironmentSpec(name=name.lower(), factory=f"{__name__}:{name}")

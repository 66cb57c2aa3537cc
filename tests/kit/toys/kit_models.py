"""Environments whose model, each in one respect, is not what they do."""

# ruff: noqa: D102 - methods are explained by their class

import attrs
import numpy as np
from kit_good import Chain

from mfbpi_core import EnvironmentSpec, TabularMDP, hookimpl


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
        return rebuilt(self.mdp, terminal=np.array([False, True]))


class OtherStart(Chain):
    """Says that the first state is 0 or 1 alike."""

    @property
    def model(self):
        return rebuilt(self.mdp, initial=[0.5, 0.5])


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
        if isinstance(kind, type) and issubclass(kind, Chain) and kind.__module__ == __name__:
            yield EnvironmentSpec(name=name.lower(), factory=f"{__name__}:{name}")

"""Agents that each break one rule."""

# ruff: noqa: D102 - methods are explained by their class

import copy

import attrs
import numpy as np
from kit_good import LinearQLearner, QLearner

from mfbpi_core import AgentSpec, hookimpl


class FloatAction(QLearner):
    """Selects actions as numbers with a fraction."""

    def select_action(self, observation):
        return float(super().select_action(observation))

    def update(self, transition):
        super().update(attrs.evolve(transition, action=int(transition.action)))

    def advance(self, simulator, n_steps):
        return None


class OtherPolicy(QLearner):
    """Has a recommended policy that is not what it recommends."""

    def recommended_policy(self):
        return 1 - super().recommended_policy()


class WholeAllocation(QLearner):
    """Has an allocation that sums to the number of states."""

    @property
    def allocation(self):
        return self.problem.n_states * super().allocation


class FreshEntropy(QLearner):
    """Explores with a generator of its own making."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, np.random.default_rng())


class DrawsPerCall(QLearner):
    """Draws once for every call of advance."""

    def advance(self, simulator, n_steps):
        self.rng.random()
        return super().advance(simulator, n_steps)


class RecommendDraws(QLearner):
    """Breaks ties of recommendations with the generator that explores."""

    def recommend(self, observation):
        self.rng.random()
        return super().recommend(observation)


class RecommendHides(QLearner):
    """Remembers, outside of its state, how often it was asked; explores less for it."""

    asked = 0

    def recommend(self, observation):
        RecommendHides.asked += 1
        return super().recommend(observation)

    def select_action(self, observation):
        self.rng.random(RecommendHides.asked % 7)
        return super().select_action(observation)

    def state_dict(self):
        return {"q": self.q.copy()}

    def advance(self, simulator, n_steps):
        return None


class OtherDriver(QLearner):
    """Learns faster when compiled."""

    def advance(self, simulator, n_steps):
        slow, self.config = self.config, attrs.evolve(self.config, rate=0.3)
        chunk = super().advance(simulator, n_steps)
        self.config = slow
        return chunk


class ForgetsGenerator(QLearner):
    """Saves what it learnt, and not where its generator stands."""

    def state_dict(self):
        return {"q": self.q.copy()}

    def load_state_dict(self, state):
        self.q = state["q"].copy()


class SavesReference(QLearner):
    """Hands out its own array as the saved state."""

    def state_dict(self):
        return {"q": self.q, "rng": copy.deepcopy(self.rng)}

    def load_state_dict(self, state):
        self.q, self.rng = state["q"].copy(), copy.deepcopy(state["rng"])


class LoadsReference(QLearner):
    """Goes on learning in the arrays of the state that it was given."""

    def load_state_dict(self, state):
        self.q, self.rng = state["q"], copy.deepcopy(state["rng"])


class Unsaveable(QLearner):
    """Keeps what it saw as objects, which pickle copies and a checkpoint cannot hold."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        self.latest = None

    def update(self, transition):
        super().update(transition)
        self.latest = transition


class Remembers(QLearner):
    """Looks up once for each state what it prefers, and does not look again in a loaded state."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        self.preference, self.known = 100.0 * rng.random((2, *self.q.shape))[1], {}

    def recommend(self, observation):
        row = self.known.setdefault(observation, self.preference[observation].copy())
        return int((self.q[observation] + row).argmax())

    def state_dict(self):
        return copy.deepcopy({"q": self.q, "rng": self.rng, "preference": self.preference})

    def load_state_dict(self, state):
        self.q, self.rng = state["q"].copy(), copy.deepcopy(state["rng"])
        self.preference = state["preference"].copy()


class TruncationEnds(QLearner):
    """Takes a truncation for a termination."""

    def update(self, transition):
        ended = transition.terminated or transition.truncated
        super().update(attrs.evolve(transition, terminated=ended))


class TruncationEndsArrays(LinearQLearner):
    """The same with arrays."""

    def update(self, transition):
        ended = transition.terminated or transition.truncated
        super().update(attrs.evolve(transition, terminated=ended))


class NeverEnds(QLearner):
    """Bootstraps beyond a termination."""

    def update(self, transition):
        super().update(attrs.evolve(transition, terminated=False))


class GlobalExploration(QLearner):
    """Explores with numpy's global generator."""

    def select_action(self, observation):
        if np.random.random() < 0.5:  # noqa: NPY002 - the fault
            return super().select_action(observation)
        return self.recommend(observation)

    def state_dict(self):
        return {}

    def advance(self, simulator, n_steps):
        return None


class GlobalSeed(QLearner):
    """Seeds numpy's global generator, for no reason."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        np.random.seed(0)  # noqa: NPY002 - the fault


@hookimpl
def mfbpi_agents():
    """Yield one agent for each class."""
    for name, kind in globals().items():
        if isinstance(kind, type) and issubclass(kind, QLearner) and kind.__module__ == __name__:
            yield AgentSpec(
                name=name.lower(),
                factory=f"{__name__}:{name}",
                config="kit_good:Config",
                needs=set() if issubclass(kind, LinearQLearner) else {"states"},
            )

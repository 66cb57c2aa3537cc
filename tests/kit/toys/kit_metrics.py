"""Metrics that each break one rule."""

# ruff: noqa: D102 - methods are explained by their class

import numpy as np
from kit_good import OCCUPATION, Occupation

from mfbpi_core import MetricSpec, hookimpl


class OutOfRange(Occupation):
    """Measures percent where a fraction is declared."""

    def measure(self, snapshot):
        return {"occupation": 100.0 * super().measure(snapshot)["occupation"]}


class NotANumber(Occupation):
    """Measures NaN before the first step."""

    def measure(self, snapshot):
        mean = self.paid / self.steps if self.steps else np.nan
        return {**super().measure(snapshot), "mean_reward": mean}


class NotAScalar(Occupation):
    """Measures None where nothing applies."""

    def measure(self, snapshot):
        return {**super().measure(snapshot), "mean_reward": None}


class NoDictionary(Occupation):
    """Measures a number of no column."""

    def measure(self, snapshot):
        return super().measure(snapshot)["occupation"]


class Undeclared(Occupation):
    """Measures a column that its spec lacks."""

    def measure(self, snapshot):
        return {**super().measure(snapshot), "extra": 1.0}


class Nothing(Occupation):
    """Never measures anything."""

    def measure(self, snapshot):
        return {}


class Trains(Occupation):
    """Lets the agent act, with its own generator, while measuring."""

    def measure(self, snapshot):
        snapshot.agent.select_action(0)
        return super().measure(snapshot)


class Overwrites(Occupation):
    """Changes the rewards that it is shown."""

    def observe(self, transitions):
        super().observe(transitions)
        transitions.rewards[:] = 0.0


class PerChunk(Occupation):
    """Averages over chunks instead of steps."""

    def observe(self, transitions):
        super().observe(transitions)
        self.paid += float(transitions.rewards[:50].sum())

    def measure(self, snapshot):
        return {"mean_reward": self.paid / (2 * self.steps)} if self.steps else {}


class DrawsInOrder(Occupation):
    """Draws from its own generator at every measurement."""

    def measure(self, snapshot):
        return {"occupation": float(self.rng.random())}


class ForgetsSteps(Occupation):
    """Does not save what it observed."""

    def state_dict(self):
        return {}


class ForgetsArrays(Occupation):
    """Keeps an array of what it last measured, and does not save it."""

    last = None

    def measure(self, snapshot):
        self.last = super().measure(snapshot)
        return self.last

    def arrays(self):
        return {} if self.last is None else {"last": np.array(list(self.last.values()))}

    def state_dict(self):
        return {name: value for name, value in super().state_dict().items() if name != "last"}


class AddsUp(Occupation):
    """Adds what is loaded to the steps that it has seen itself."""

    def load_state_dict(self, state):
        seen = self.steps
        super().load_state_dict(state)
        self.steps += seen


class GlobalSample(Occupation):
    """Samples with numpy's global generator."""

    def measure(self, snapshot):
        return {"occupation": float(np.random.random())}  # noqa: NPY002 - the fault


@hookimpl
def mfbpi_metrics():
    """Yield one metric for each class."""
    for name, kind in globals().items():
        if isinstance(kind, type) and kind.__module__ == __name__:
            yield MetricSpec(
                name=name.lower(),
                factory=f"{__name__}:{name}",
                needs={"cells", "policy"},
                columns=OCCUPATION,
            )

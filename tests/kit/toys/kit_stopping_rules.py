"""Stopping rules that each break one rule of the kit."""

# ruff: noqa: D102 - methods are explained by their class

import sys

import attrs
import numpy as np
from kit_visits_rule import Enough

from mfbpi_core import StoppingRuleSpec, Transitions, Verdict, hookimpl
from mfbpi_core.running.interaction import Interaction


def held_by_callers(kind):
    """What a nosy rule finds: objects of a kind in the variables of whoever asked it."""
    frame = sys._getframe(1)
    while frame is not None:
        yield from (each for each in frame.f_locals.values() if type(each) is kind)
        frame = frame.f_back


class SeesChunks(Enough):
    """Finds the latest chunk of steps, and says how long it was."""

    def check(self, counts):
        shortest = min(map(len, held_by_callers(Transitions)), default=0)
        found = super().check(counts)
        return found if found.policy is None else attrs.evolve(found, reason=f"{shortest} steps")


class LooksAtTheAgent(Enough):
    """Finds the agents, and says what they have learnt."""

    def check(self, counts):
        agents = [each.agent for each in held_by_callers(Interaction)]
        learnt = sum(float(agent.counts.sum()) for agent in agents)
        found = super().check(counts)
        said = f"agents have seen {learnt:g}"
        return found if found.policy is None else attrs.evolve(found, reason=said)


class Hasty(Enough):
    """Does not mind pairs that were never visited."""

    def check(self, counts):
        self.asked += 1
        policy = np.zeros(counts.n_states, dtype=np.int64)
        stop = counts.steps > 10_000
        gap = 1.0 if stop else 9.0
        return Verdict(stop=stop, policy=policy, gap=gap, reason="long enough")


class NamesNobody(Enough):
    """Does not say which pair was never visited."""

    def check(self, counts):
        found = super().check(counts)
        return attrs.evolve(found, reason="some pair" if found.policy is None else found.reason)


class Writes(Enough):
    """Counts a step of its own."""

    def check(self, counts):
        found = super().check(counts)
        counts.start += 1
        return found


class Generous(Enough):
    """Stops with a larger gap than was asked for."""

    def check(self, counts):
        found = super().check(counts)
        return attrs.evolve(found, stop=found.policy is not None)


class Endless(Enough):
    """Certifies nothing by infinity."""

    def check(self, counts):
        return attrs.evolve(super().check(counts), gap=float("inf"))


class Forgetful(Enough):
    """Saves nothing, although it remembers how often it was asked."""

    def state_dict(self):
        return {}


@hookimpl
def mfbpi_stopping_rules():
    """Yield one rule for each class."""
    for name, kind in globals().items():
        if isinstance(kind, type) and issubclass(kind, Enough) and kind.__module__ == __name__:
            yield StoppingRuleSpec(
                name=name.lower(), factory=f"{__name__}:{name}", guarantee="eps-delta"
            )

"""Bounds that each break one rule."""

# ruff: noqa: D102 - methods are explained by their class

import attrs
import numpy as np
from kit_weakest_pair import WeakestPair

from mfbpi_core import BoundSpec, hookimpl


class NotNormalised(WeakestPair):
    """Forgets to divide the allocation by its sum; the bound does that for itself."""

    def solve(self, mdp, constraint="generative"):
        found = super().solve(mdp, constraint)
        omega = found.allocation
        return found if omega is None else attrs.evolve(found, allocation=3.0 * omega)

    def evaluate(self, mdp, allocation):
        return super().evaluate(mdp, allocation / allocation.sum())


class IgnoresFlow(WeakestPair):
    """Returns the generative allocation whatever is asked."""

    def solve(self, mdp, constraint="generative"):
        return super().solve(mdp, "generative")


class OtherValue(WeakestPair):
    """Reports a value that its allocation does not attain."""

    def solve(self, mdp, constraint="generative"):
        found = super().solve(mdp, constraint)
        return attrs.evolve(found, value=found.value * 0.999)


class NotOptimal(WeakestPair):
    """Returns the walk of the uniform policy."""

    def solve(self, mdp, constraint="generative"):
        if self.hardness(mdp) is None:
            return super().solve(mdp, constraint)
        chain = mdp.transitions.mean(axis=1)
        stationary = np.linalg.matrix_power(chain, 500)[0]
        omega = np.repeat(stationary[:, None], mdp.n_actions, axis=1) / mdp.n_actions
        omega /= omega.sum()
        return self.solution(self.evaluate(mdp, omega), omega)


class CountsStates(WeakestPair):
    """Takes later states for harder ones."""

    def hardness(self, mdp):
        h = super().hardness(mdp)
        return None if h is None else h * (1.0 + np.arange(mdp.n_states))[:, None]


class ClipsTies(WeakestPair):
    """Replaces gaps of zero by a small number."""

    def hardness(self, mdp):
        h = super().hardness(mdp)
        return np.full((mdp.n_states, mdp.n_actions), 1e12) if h is None else h


class NoReason(WeakestPair):
    """Does not say why a value is infinite."""

    def solution(self, value, omega, **changes):
        return super().solution(value, omega, **{**changes, "reason": ""})


@hookimpl
def mfbpi_bounds():
    """Yield one bound for each class."""
    for name, kind in globals().items():
        if isinstance(kind, type) and kind.__module__ == __name__:
            yield BoundSpec(name=name.lower(), factory=f"{__name__}:{name}")

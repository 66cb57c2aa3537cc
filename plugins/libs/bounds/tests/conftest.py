"""Small instances for the tests of this library, built from their definitions."""

from collections.abc import Callable

import numpy as np
import pytest

from mfbpi_core.mdp import TabularMDP
from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import Instance
from mfbpi_lib_tabular import moments


def _riverswim(n_states: int, scale: float = 1.0) -> TabularMDP:
    """RiverSwim with the constants of Russo & Proutiere (2023), rewards times ``scale``."""
    s = np.arange(n_states)
    down, up = np.maximum(s - 1, 0), np.minimum(s + 1, n_states - 1)
    successors = np.zeros((n_states, 2, 3), dtype=np.int64)
    probabilities = np.zeros((n_states, 2, 3))
    successors[:, 0, 0], probabilities[:, 0, 0] = down, 1.0
    successors[:, 1], probabilities[:, 1] = np.stack([down, s, up], axis=1), [0.1, 0.6, 0.3]
    probabilities[0, 1], probabilities[-1, 1] = [0.7, 0.0, 0.3], [0.7, 0.3, 0.0]
    rewards = np.zeros((n_states, 2))
    rewards[0, 0], rewards[-1, 1] = 0.05, 1.0
    return TabularMDP.from_successors(successors, probabilities, rewards * scale)


def _garnet(n_states: int, n_actions: int = 3, branching: int = 5, seed: int = 0) -> TabularMDP:
    """A random sparse instance (Archibald et al. 1995)."""
    rng = np.random.default_rng(seed)
    shape = (n_states, n_actions, branching)
    return TabularMDP.from_successors(
        rng.integers(n_states, size=shape),
        rng.dirichlet(np.ones(branching), size=shape[:2]),
        rng.random(shape[:2]),
    )


def _bound(mdp: TabularMDP, discount: float, kind: str) -> tuple[Coefficients, Instance]:
    """Coefficients of a bound by its name; u1 is u_k with k = 1."""
    instance = Instance(mdp=mdp, discount=discount)
    gaps, policy, values = instance.separation.gaps, instance.plan.policy, instance.plan.values
    if kind == "u0":
        variances, spans = moments.variances(mdp, values), moments.spans(mdp, values)
        made = coefficients.u0(gaps, variances, spans, policy, discount, instance.acting)
        return made, instance
    terms = instance.moment_terms(1) if kind == "u1" else instance.largest_moment_terms(19)
    maker = coefficients.u_tilde if kind == "u_tilde" else coefficients.u
    return maker(gaps, terms, policy, discount, instance.acting), instance


@pytest.fixture
def riverswim() -> Callable[..., TabularMDP]:
    """Builder of RiverSwim from its number of states."""
    return _riverswim


@pytest.fixture
def garnet() -> Callable[..., TabularMDP]:
    """Builder of random sparse instances."""
    return _garnet


@pytest.fixture
def bound() -> Callable[..., tuple[Coefficients, Instance]]:
    """Builder of the coefficients of u0, u, u1 or u_tilde, with the planned instance."""
    return _bound

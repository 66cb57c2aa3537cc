"""Agents that follow a bound that is handed to them: in the common form, and any other."""

from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi_core import Bound, BoundSolution, Constraint, Problem, TabularMDP, Transition
from mfbpi_core.errors import ConfigError, SolverError
from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import QuantitiesBound, SolverConfig
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tracking.following import BoundFollowingAgent


@attrs.frozen(kw_only=True)
class Config:
    """What every such agent has."""

    min_exploration: float = 1e-3
    gap_floor: float = 1e-8


class Plain(BoundFollowingAgent):
    """Follows a bound on the smoothed empirical model."""

    def estimated(self):
        """The model and its plan."""
        model = posterior.smoothed(self.state.counts, 1.0)
        return model, self.plan(model)

    def recommended_policy(self):
        """The optimal policy of the model."""
        return self.estimated()[1].policy


class Lopsided(Bound):
    """A third party's bound: whatever the instance, nine tenths go to the first pair."""

    seen: list[TabularMDP]

    def evaluate(self, mdp: TabularMDP, allocation: Any) -> float:
        """A number."""
        return 1.0

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Nine tenths to the first pair, the rest evenly, none to terminal states."""
        assert constraint == "navigation"
        self.seen.append(mdp)
        weights = np.repeat(~mdp.terminal, mdp.n_actions).reshape(mdp.n_states, -1) * 1.0
        weights[0, 0] = 0.0
        weights *= 0.1 / weights.sum()
        weights[0, 0] = 0.9
        return BoundSolution(
            value=1.0,
            allocation=weights,
            status="optimal",
            relative_gap=0.0,
            residual=1.0,  # at most
            solver="by hand",
        )


class Failing(Lopsided):
    """One that finds nothing."""

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Give up."""
        raise SolverError("out of luck")


class U0(QuantitiesBound):
    """A bound in the common form."""

    def coefficients(self, of: planned.Quantities):
        """Those of U0."""
        return planned.u0(of)


def following(bound: Bound) -> Plain:
    """An agent of two states and two actions, before its first step."""
    problem = Problem(n_states=2, n_actions=2, discount=0.9, horizon=1000)
    return Plain(problem, Config(), np.random.default_rng(0), bound=bound)


def lopsided(kind: type[Lopsided] = Lopsided) -> Lopsided:
    """The third party's bound."""
    bound = kind(0.9, None)
    bound.seen = []
    return bound


def test_a_bound_of_a_third_party_is_followed():
    """The agent aims where the bound is least on its estimate, a proper instance."""
    bound = lopsided()
    agent = following(bound)

    agent.select_action(0)

    np.testing.assert_allclose(agent.allocation, [[0.9, 0.1 / 3], [0.1 / 3, 0.1 / 3]])
    np.testing.assert_allclose(bound.seen[0].transitions, 0.5)
    assert agent.profile["solver_failures"] == 0


def test_an_ending_is_a_terminal_state_of_the_estimate():
    """It has a state more, and the allocation does not."""
    bound = lopsided()
    agent = following(bound)
    agent.update(Transition(1, 0, 1.0, 0, terminated=True))
    model = posterior.empirical(agent.state.counts)
    agent.estimated = lambda: (model, agent.plan(model))

    agent.solve()

    assert bound.seen[0].terminal.tolist() == [False, False, True]
    assert bound.seen[0].transitions[1, 0].tolist() == [0.0, 0.0, 1.0]
    assert agent.allocation.shape == (2, 2)
    assert agent.allocation.sum() == pytest.approx(1.0)


def test_a_bound_that_finds_nothing_is_counted():
    """The allocation stays as it was."""
    agent = following(lopsided(Failing))

    agent.solve()

    np.testing.assert_allclose(agent.allocation, 0.25)
    assert agent.profile["solver_failures"] == 1


def test_only_the_common_form_has_coefficients():
    """Others are asked through their contract."""
    _, model = following(U0(0.9, SolverConfig())).target()

    assert model.transitions.shape == (2, 2, 2)
    with pytest.raises(ConfigError, match="Lopsided is given by no coefficients"):
        following(lopsided()).target()

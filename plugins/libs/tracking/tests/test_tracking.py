"""The base of agents that follow an allocation: what they follow, when, and from where."""

import attrs
import numpy as np
import pytest
from scipy import sparse

from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds import coefficients, navigation, planned
from mfbpi_lib_tabular.learning.posterior import Estimate
from mfbpi_lib_tabular.learning.schedules import growing_period
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.solution import planning
from mfbpi_lib_tracking import agent as tracking
from mfbpi_lib_tracking.agent import TrackingAgent
from mfbpi_lib_tracking.estimates import EstimatedQuantities

DISCOUNT = 0.9


@attrs.frozen(kw_only=True)
class Config:
    """The parameters of every tracking agent."""

    min_exploration: float = 1e-3


class Knowing(TrackingAgent):
    """Follows the optimum of one model, given to it."""

    def __init__(self, model: Estimate, horizon=1000, **parameters):
        n_states, n_actions = model.rewards.shape
        problem = Problem(
            n_states=n_states, n_actions=n_actions, discount=DISCOUNT, horizon=horizon
        )
        super().__init__(problem, Config(**parameters), np.random.default_rng(0))
        self.model = model

    def target(self):
        """The bound U of the model."""
        plan = self.plan(self.model)
        quantities = EstimatedQuantities(
            model=self.model, plan=plan, discount=DISCOUNT, gap_floor=1e-8
        )
        return planned.u(quantities, 19), self.model

    def recommended_policy(self):
        """The optimal policy of the model."""
        return self.plan(self.model).policy


def random_model(n_states=4, seed=3) -> Estimate:
    """Three actions."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(n_states), size=(n_states, 3))
    return Estimate(rows, rng.uniform(size=(n_states, 3)))


def environment(model: Estimate) -> TabularEnvironment:
    """Where the model is right."""
    return TabularEnvironment(TabularMDP.from_dense(model.transitions, model.rewards))


def test_starts_even_and_follows_the_optimum_after_the_first_solution():
    """The allocation is uniform until the first action, then the navigation optimum."""
    agent = Knowing(random_model())
    np.testing.assert_allclose(agent.allocation, 1 / 12)

    agent.select_action(0)

    bound, model = agent.target()
    best = navigation.minimise(bound, sparse.csr_array(model.transitions.reshape(12, 4)))
    np.testing.assert_allclose(agent.allocation, best.allocation, atol=0.01)
    assert agent.allocation.sum() == pytest.approx(1.0)


def test_visits_approach_the_allocation():
    """In the model that it knows, the agent visits pairs as the allocation says."""
    model = random_model()
    agent = Knowing(model, horizon=100_000)

    Interaction(environment(model), agent, seed=0).advance(100_000)

    frequencies = agent.visits / agent.visits.sum()
    np.testing.assert_allclose(frequencies, agent.allocation, atol=0.01)


def test_first_visits_are_forced():
    """In a state never visited each action is as likely as any other."""
    agent = Knowing(random_model())
    agent.select_action(0)
    agent.state.omega[1] = [1.0, 0.0, 0.0]

    counts = np.bincount([agent.select_action(1) for _ in range(3000)], minlength=3)

    np.testing.assert_allclose(counts / 3000, 1 / 3, atol=0.04)


def test_solves_on_the_growing_schedule():
    """With T = 50,000: the first deadline is at 200, and visits that double come sooner."""
    agent = Knowing(random_model(), horizon=50_000)
    agent.select_action(0)
    assert agent.schedule.deadline[0] == 200

    agent.update(Transition(0, 1, 0.0, 1))

    assert agent.schedule.due[0]
    agent.schedule.clock[0] = 10_000
    agent.select_action(0)
    assert agent.schedule.deadline[0] == 10_800  # 2000 * 10000 / 25000 later
    assert agent.n_solves == 2
    assert agent.solver_s > 0.0


def test_a_warm_start_finds_as_good_a_solution():
    """From the basis of another model, the value found is the least one up to the target gap."""
    first, second = random_model(seed=1), random_model(seed=2)
    agent = Knowing(first)
    agent.solve()
    agent.model = second
    bound, _ = agent.target()
    best = navigation.minimise(bound, sparse.csr_array(second.transitions.reshape(12, 4)))

    agent.solve()

    assert agent.state.warm.known[0]
    value = coefficients.evaluate(bound, agent.allocation)
    assert best.value * (1 - 1e-9) <= value <= best.value * (1 + 2 * tracking.TARGET_GAP)


def test_solver_goes_on_from_a_checkpoint():
    """The basis and the point of the last solution are saved: the next one is the same, exactly."""
    first, second = random_model(6, 1), random_model(6, 2)
    saved, loaded = Knowing(first), Knowing(first)
    saved.solve()
    loaded.load_state_dict(saved.state_dict())
    saved.model = loaded.model = second

    saved.solve()
    loaded.solve()

    np.testing.assert_array_equal(saved.allocation, loaded.allocation)
    np.testing.assert_array_equal(saved.state.warm.columns, loaded.state.warm.columns)


def never(bound, walk, start=None, target_gap=0.0):
    """A solver that fails."""
    raise SolverError("lost")


def test_an_allocation_that_cannot_be_found_leaves_the_last_one(monkeypatch):
    """Where the solver fails altogether, the agent goes on as before, and counts it."""
    agent = Knowing(random_model())
    agent.solve()
    before = agent.allocation
    monkeypatch.setattr(tracking.navigation, "minimise", never)
    agent.model = random_model(seed=9)

    assert agent.solve() == growing_period(0, 1000)
    np.testing.assert_array_equal(agent.allocation, before)
    assert agent.profile["solver_failures"] == 1
    assert agent.profile["solver_runs"] == 2


def test_an_allocation_without_certificate_counts_as_a_failure(monkeypatch):
    """It is followed, as the best one known."""
    agent = Knowing(random_model())
    exact = navigation.minimise(
        agent.target()[0], sparse.csr_array(agent.model.transitions.reshape(12, 4))
    )
    loose = attrs.evolve(exact, lower=0.9 * exact.value)
    monkeypatch.setattr(tracking.navigation, "minimise", lambda *_: loose)

    agent.solve()

    np.testing.assert_allclose(agent.allocation, loose.allocation, rtol=1e-12)
    assert agent.profile["solver_failures"] == 1


def test_failures_are_counted_over_checkpoints(monkeypatch):
    """A restored agent goes on counting where the saved one was."""
    saved, loaded = Knowing(random_model()), Knowing(random_model())
    monkeypatch.setattr(tracking.navigation, "minimise", never)
    saved.solve()

    loaded.load_state_dict(saved.state_dict())
    loaded.solve()

    assert loaded.profile["solver_failures"] == loaded.profile["solver_runs"] == 2


def test_walks_go_on_where_episodes_begin():
    """Where every transition ends the task, the walk is in the first states, half and half."""
    model = Estimate(np.zeros((2, 2, 2)), np.array([[0.0, 1.0], [0.5, 0.0]]))
    agent = Knowing(model)
    for s in (0, 1):
        agent.update(Transition(s, 0, 0.0, s, terminated=True))

    agent.solve()

    np.testing.assert_allclose(agent.allocation.sum(axis=1), [0.5, 0.5])


def test_recommendation_of_a_state():
    """It is the entry of the recommended policy."""
    model = random_model()
    agent = Knowing(model)
    optimal = planning.solve(environment(model).model, DISCOUNT).policy

    assert [agent.recommend(s) for s in range(4)] == optimal.tolist()

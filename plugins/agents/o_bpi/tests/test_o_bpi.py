"""O-BPI: its rules on hand-computed numbers, what it follows, and what it learns."""

import numpy as np
import pytest
from scipy import sparse

from mfbpi_agent_o_bpi.agent import OBPI, Config
from mfbpi_core import Interaction, Problem, Transition
from mfbpi_core.errors import CheckpointError, ConfigError
from mfbpi_lib_bounds import coefficients, navigation
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import ring


def agent_for(n_states=2, n_actions=2, discount=0.5, **parameters) -> OBPI:
    """An agent with seed 0."""
    problem = Problem(n_states=n_states, n_actions=n_actions, discount=discount, horizon=20_000)
    return OBPI(problem, Config(**parameters), np.random.default_rng(0))


def test_first_update_by_hand():
    """At the first visit alpha = 1: Q becomes its target and M the squared deviation of new Q."""
    agent = agent_for()
    agent.state.q[...] = [[1.0, 0.0], [0.5, 0.25]]
    agent.state.m[...] = 7.0

    agent.update(Transition(0, 1, 1.0, 0))

    # Target 1 + 0.5 * 1 = 1.5; it is now the best value of the state itself: 1 + 0.75 - 1.5.
    assert agent.state.q.tolist() == [[1.0, 1.5], [0.5, 0.25]]
    assert agent.state.m[0, 1] == pytest.approx((0.25 / 0.5) ** 2)
    assert agent.state.m[1, 0] == 7.0


def test_second_update_uses_the_two_rates():
    """On the second visit alpha = (H + 1) / (H + 2) and beta = alpha^1.1, with H = 2."""
    agent = agent_for()

    agent.update(Transition(0, 1, 0.0, 1))
    agent.update(Transition(0, 1, 1.0, 1))

    alpha = 3 / 4
    assert agent.state.q[0, 1] == pytest.approx(alpha)
    assert agent.state.m[0, 1] == pytest.approx(alpha**1.1 * ((1 - alpha) / 0.5) ** 2)


def test_higher_moments():
    """With k = 2 the fourth power is learnt, and enters the bound by its square root."""
    agent = agent_for(k=2)
    agent.update(Transition(0, 1, 0.0, 1))
    agent.update(Transition(0, 1, 1.0, 1))

    assert agent.state.m[0, 1] == pytest.approx((3 / 4) ** 1.1 * ((1 / 4) / 0.5) ** 4)

    agent.state.q[...] = [[1.0, 0.0], [1.0, 0.5]]
    agent.state.m[...] = 16.0
    bound, _ = agent.target()
    expected = coefficients.u(
        np.array([[0.0, 1.0], [0.0, 0.5]]), np.full((2, 2), 4.0), np.zeros(2, dtype=int), 0.5
    )
    np.testing.assert_allclose(bound.h[:, 1], expected.h[:, 1])
    np.testing.assert_allclose(bound.c, expected.c)


def test_follows_the_optimum_at_its_estimates():
    """The allocation is the navigation optimum of U_1 in the smoothed model."""
    agent = agent_for(3, 2)
    rng = np.random.default_rng(1)
    agent.state.q[...] = rng.uniform(size=(3, 2))
    agent.state.m[...] = rng.uniform(size=(3, 2))
    agent.state.counts.visits[...] = 30
    agent.state.counts.transitions[...] = 10
    q = agent.state.q
    bound = coefficients.u(q.max(axis=1, keepdims=True) - q, agent.state.m, q.argmax(axis=1), 0.5)

    agent.solve()

    best = navigation.minimise(bound, sparse.csr_array(np.full((6, 3), 1 / 3)))
    np.testing.assert_allclose(agent.allocation, best.allocation, rtol=1e-8)


@pytest.mark.parametrize(
    ("terminated", "truncated", "value"), [(True, False, 1.0), (False, True, 2.0)]
)
def test_only_termination_stops_the_bootstrap(terminated, truncated, value):
    """What follows a truncation counts, what follows a termination does not."""
    agent = agent_for()
    agent.state.q[1] = [2.0, 0.0]

    agent.update(Transition(0, 0, 1.0, 1, terminated=terminated, truncated=truncated))

    assert agent.state.q[0, 0] == value


def test_first_values():
    """Q starts at 0 and M at H^(2^k), or a share of it: 10^4 with H = 10 and k = 2."""
    agent = agent_for(discount=0.9, k=2)

    assert (agent.state.q == 0.0).all()
    assert (agent.state.m == 10_000.0).all()
    assert (agent_for(discount=0.9, initial_moment=0.25).state.m == 25.0).all()


def test_learnt_tables_are_saved():
    """A restored agent has the same values and moments; another size is refused."""
    agent, other = agent_for(), agent_for()
    for t in range(20):
        agent.update(Transition(t % 2, agent.select_action(t % 2), 0.5, (t + 1) % 2))

    other.load_state_dict(agent.state_dict())

    np.testing.assert_array_equal(other.state.q, agent.state.q)
    np.testing.assert_array_equal(other.state.m, agent.state.m)
    with pytest.raises(CheckpointError, match=r"expected shape \(3, 2\)"):
        agent_for(3).load_state_dict(agent.state_dict())


def test_finds_the_optimal_policy():
    """On a ring of six states the recommendation becomes optimal."""
    agent = agent_for(6, 3, discount=0.9)

    Interaction(TabularEnvironment(ring(6)), agent, seed=0).advance(20_000)

    np.testing.assert_array_equal(agent.recommended_policy(), np.zeros(6))


@pytest.mark.parametrize(("key", "value"), [("k", 0), ("smoothing", 0.0), ("initial_moment", 1.5)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})

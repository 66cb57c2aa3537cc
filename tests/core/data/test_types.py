"""The data that flows through a run."""

import numpy as np
import pytest

from mfbpi_core import Agent, Problem, Snapshot, Streams, Transition, Transitions


@pytest.mark.parametrize(("discount", "horizon"), [(0.99, 100.0), (0.9, 10.0), (0.95, 20.0)])
def test_effective_horizon_is_rounded(discount, horizon):
    """1 / (1 - 0.99) is 100, not 99.99999999999991."""
    problem = Problem(n_states=2, n_actions=2, discount=discount, horizon=10)

    assert problem.effective_horizon == horizon
    assert int(problem.effective_horizon) == horizon


def test_columns_of_steps():
    """Single transitions become columns with their types."""
    steps = [Transition(0, 1, 0.5, 1, False, True), Transition(1, 0, 1, 0)]

    chunk = Transitions.from_steps(7, steps)

    assert (chunk.start, len(chunk), chunk.episodes_ended) == (7, 2, 1)
    assert chunk.observations.tolist() == [0, 1]
    assert chunk.actions.dtype == np.int64
    assert chunk.rewards.tolist() == [0.5, 1.0]
    assert chunk.truncated.tolist() == [True, False]
    assert chunk.terminated.dtype == np.bool_


def test_columns_of_arrays():
    """Array observations are stacked."""
    steps = [Transition(np.array([1.0, 0.0]), 0, 0.0, np.array([0.0, 1.0])) for _ in range(3)]

    assert Transitions.from_steps(0, steps).observations.shape == (3, 2)


class Counting(Agent):
    """Counts how often it is asked."""

    asked = 0

    def select_action(self, observation):
        """Never asked."""
        raise NotImplementedError

    def update(self, transition):
        """Never asked."""

    def recommend(self, observation):
        """The state, and one more asked."""
        self.asked += 1
        return observation


def counting(n_states):
    """A counting agent for a problem of so many states."""
    problem = Problem(n_states=n_states, n_actions=3, discount=0.9, horizon=10)
    return Counting(problem, None, np.random.default_rng(0))


def test_policy_is_asked_for_once():
    """All metrics of one moment share one recommended policy."""
    agent = counting(3)
    snapshot = Snapshot(step=0, episode=0, agent=agent, streams=Streams(seed=0))

    assert snapshot.policy.tolist() == snapshot.policy.tolist() == [0, 1, 2]
    assert agent.asked == 3


def test_no_policy_without_states():
    """With array observations there is no policy to list, nor an allocation."""
    snapshot = Snapshot(step=0, episode=0, agent=counting(None), streams=Streams(seed=0))

    assert snapshot.policy is None
    assert snapshot.allocation is None


def test_evaluation_stream_depends_on_the_step_only():
    """A metric's draws at a step are the same however often it was measured before."""
    streams = Streams(seed=0)
    moments = [Snapshot(step=s, episode=0, agent=counting(1), streams=streams) for s in (0, 0, 9)]

    first, again, later = (moment.of("greedy_return").rng().random() for moment in moments)

    assert first == again != later
    assert first == streams.generator("evaluation:greedy_return", 0).random()
    assert first != moments[0].of("other").rng().random()


def test_policy_is_asked_for_once_by_all_metrics():
    """The moments of several metrics share what the agent said."""
    agent = counting(3)
    moment = Snapshot(step=0, episode=0, agent=agent, streams=Streams(seed=0))

    assert moment.of("one").policy is moment.of("other").policy
    assert agent.asked == 3


def test_default_state_is_a_copy():
    """Saved state shares nothing with the agent, in both directions."""
    agent = counting(2)
    agent.q = np.zeros(2)

    state = agent.state_dict()
    agent.q[0] = 1.0
    agent.rng.random()
    agent.load_state_dict(state)
    agent.q[1] = 5.0

    assert state["q"].tolist() == [0.0, 0.0]
    assert agent.q.tolist() == [0.0, 5.0]
    assert agent.rng.random() == np.random.default_rng(0).random()
    assert "problem" not in state


def test_a_policy_that_is_solved_for_is_asked_for_once_by_recommendations():
    """An agent with a policy of its own may plan for it; without one it is asked state by state."""

    class Planning(Counting):
        """Recommends from a plan that it makes whenever it is asked."""

        def recommended_policy(self):
            """A plan."""
            self.asked += 1
            return np.array([2, 0, 1])

        def recommend(self, observation):
            """From the plan."""
            return self.recommended_policy()[observation]

    planning, plain = Planning(counting(3).problem, None, None), counting(3)
    moments = [
        Snapshot(step=0, episode=0, agent=a, streams=Streams(seed=0)) for a in (planning, plain)
    ]
    states = [0, np.int64(1), np.array(2), 0]

    assert [moments[0].of("a metric").recommend(s) for s in states] == [2, 0, 1, 2]
    assert [moments[1].recommend(s) for s in states] == [0, 1, 2, 0]
    assert (planning.asked, plain.asked) == (1, 4)

"""Agents that solve now and then: both drivers solve at the same steps."""

from typing import NamedTuple

import numba
import numpy as np

from mfbpi_core import Interaction, Problem, TabularMDP
from mfbpi_lib_tabular.learning.agent import ReplanningAgent
from mfbpi_lib_tabular.learning.posterior import Counts
from mfbpi_lib_tabular.learning.schedules import Schedule, count_and_tick
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.models.simulator import start_state, take_step


class _State(NamedTuple):
    counts: Counts
    schedule: Schedule
    action: np.ndarray  # [1], taken everywhere until the next solution


@numba.njit
def _select(state, s):
    return state.action[0]


@numba.njit
def _learn(state, s, a, r, s2, terminated):
    count_and_tick(state.counts, state.schedule, s, a, r, s2, terminated)


@numba.njit
def _rollout(state, dynamics, chunk, start, env_rng, rng):
    for t in range(start, chunk.actions.size):
        if state.schedule.due[0]:
            return t
        s = dynamics.state[0]
        a = _select(state, s)
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        _learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())
    return chunk.actions.size


class Fickle(ReplanningAgent):
    """Takes one action everywhere, and draws another every seven steps or when visits double."""

    select = staticmethod(_select)
    learn = staticmethod(_learn)
    rollout = staticmethod(_rollout)

    def __init__(self):
        problem = Problem(n_states=3, n_actions=2, discount=0.9, horizon=100)
        super().__init__(problem, None, np.random.default_rng(1))
        action = np.zeros(1, dtype=np.int64)
        self.state = _State(Counts.empty(3, 2), Schedule.start(3, 2), action)
        self.solved_at = []

    def solve(self):
        """Draw an action."""
        self.state.action[0] = self.rng.integers(2)
        self.solved_at.append(int(self.schedule.clock[0]))
        return 7

    def recommended_policy(self):
        """Another action in each state."""
        return np.array([1, 0, 1])


class Stepped(Fickle):
    """The same, without the compiled driver."""

    def advance(self, simulator, n_steps):
        """Ask to be stepped."""


def _run(agent: Fickle, chunks: list[int]) -> Interaction:
    mdp = TabularMDP.from_dense(np.full((3, 2, 3), 1 / 3), np.zeros((3, 2)))
    interaction = Interaction(TabularEnvironment(mdp, 4), agent, seed=2)
    for n_steps in chunks:
        interaction.advance(n_steps)
    return interaction


def test_both_drivers_solve_at_the_same_steps():
    """However the steps are divided, solutions fall on the same steps and draw the same."""
    reference = _run(Stepped(), [100]).agent
    for chunks in ([100], [1] * 100, [3, 7, 90], [50, 0, 50]):
        agent = _run(Fickle(), chunks).agent

        assert agent.solved_at == reference.solved_at
        np.testing.assert_array_equal(agent.visits, reference.visits)
        assert agent.rng.bit_generator.state == reference.rng.bit_generator.state
    assert reference.n_solves == len(reference.solved_at)


def test_solving_waits_for_the_next_action():
    """A solution that falls due with the last step of a chunk is left to the next one."""
    agent = _run(Fickle(), [1]).agent

    assert agent.schedule.due[0]
    assert agent.solved_at == [0]


def test_time_spent_solving_is_counted():
    """The profile counts seconds and solutions; neither is part of a saved state."""
    agent = _run(Fickle(), [100]).agent

    assert 0.0 < agent.solver_s < 10.0
    assert agent.n_solves > 100 // 7
    assert "solver_s" not in str(agent.state_dict())


def test_recommendation_of_a_state():
    """It is the entry of the recommended policy, as a plain integer."""
    recommended = [Fickle().recommend(s) for s in range(3)]

    assert recommended == [1, 0, 1]
    assert all(type(a) is int for a in recommended)


def test_saved_schedules_resume():
    """After loading, solutions fall due as if nothing had been saved."""
    never = _run(Fickle(), [40])
    restored = Fickle()
    restored.load_state_dict(never.agent.state_dict())
    before = len(never.agent.solved_at)
    simulator = never.environment.simulator
    state = never.environment.state_dict()
    never.agent.advance(simulator, 60)
    never.environment.load_state_dict(state)

    restored.advance(simulator, 60)

    assert restored.solved_at == never.agent.solved_at[before:]

"""The exact law, wherever zeros stand in a row: `step`, `reset` and the compiled simulator."""

import numba
import numpy as np
import pytest

from mfbpi_core import TabularMDP, Transition, Transitions
from mfbpi_core.testing.tools import law
from mfbpi_core.testing.worlds.instances import ModelEnvironment, zeros_in_every_place
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.models.simulator import Chunk, sample_transition, start_state, take_step

#: For the chance that frequencies which obey their law are refused, see
#: ``mfbpi_core.testing.tools.goodness``.
N_STEPS = 40_000


@numba.njit
def _rolled(dynamics, chunk, actions, rng):
    for t in range(actions.size):
        take_step(dynamics, chunk, t, actions[t], rng.random(), rng.random())


@numba.njit
def _started(dynamics, states, rng):
    for i in range(states.size):
        start_state(dynamics, rng.random())
        states[i] = dynamics.state[0]


@numba.njit
def _reached(dynamics, n, rng):
    """How often each state follows action 0 in state 0."""
    counts = np.zeros(dynamics.terminal.size, dtype=np.int64)
    for _ in range(n):
        dynamics.state[0] = 0
        counts[sample_transition(dynamics, 0, rng.random(), rng.random())[1]] += 1
    return counts


@pytest.fixture
def actions():
    """Any action, at random, again and again."""
    return np.random.default_rng(1).integers(15, size=N_STEPS)


def test_compiled_steps_obey_the_law(actions):
    """Transitions, rewards and first states of a rollout, over all places of zeros."""
    mdp = zeros_in_every_place()
    dynamics, rng = seeded(mdp).simulator
    chunk = Chunk.empty(N_STEPS)
    _rolled(dynamics, chunk, actions, rng)
    states = np.empty(N_STEPS, dtype=np.int64)
    _started(dynamics, states, rng)

    law.require_transitions(mdp, chunk.to_transitions())
    law.require_rewards(mdp, chunk.to_transitions())
    law.require_first_states(mdp, states)


@pytest.mark.parametrize("kind", [TabularEnvironment, ModelEnvironment])
def test_single_steps_obey_the_law(actions, kind):
    """The same in Python, of this library and of the kit."""
    mdp = zeros_in_every_place()
    environment = seeded(mdp, kind)
    state, steps = environment.reset()[0], []
    for action in actions.tolist():
        following, reward, *_ = environment.step(action)
        steps.append(Transition(state, action, reward, following))
        state = following

    law.require_transitions(mdp, Transitions.from_steps(0, steps))
    law.require_rewards(mdp, Transitions.from_steps(0, steps))
    law.require_first_states(mdp, [environment.reset()[0] for _ in range(N_STEPS)])


@pytest.mark.parametrize(
    ("initial", "starts"),
    [([0.5, 0, 0, 0.5], {0, 3}), ([0, 1, 0, 0], {1}), ([0, 0.5, 0.5, 0], {1, 2})],
)
def test_first_states_are_possible(initial, starts):
    """2,000 resets begin in every state of positive probability and in no other."""
    mdp = TabularMDP.from_dense(np.full((4, 1, 4), 0.25), np.zeros((4, 1)), initial=initial)
    environment = seeded(mdp)

    assert {environment.reset()[0] for _ in range(2_000)} == starts


def test_zero_between_two_successors():
    """[.5, 0, .5] leads half to the first and half to the last, in both drivers."""
    mdp = TabularMDP.from_successors(
        np.tile([0, 1, 2], (3, 1, 1)), np.tile([0.5, 0.0, 0.5], (3, 1, 1)), np.zeros((3, 1))
    )
    environment = seeded(mdp)
    stepped = np.bincount([environment.step(0)[0] for _ in range(2_000)], minlength=3)
    compiled = _reached(environment.simulator[0], 2_000, np.random.default_rng(0))

    for counts in (stepped, compiled):
        assert counts[1] == 0
        assert counts[0] == pytest.approx(1_000, abs=5 * np.sqrt(500))


def test_successors_listed_twice_add_up():
    """A state in two slots is reached with the sum of their probabilities."""
    mdp = TabularMDP.from_successors(
        np.tile([1, 0, 1, 0], (2, 1, 1)), np.tile([0.3, 0.0, 0.3, 0.4], (2, 1, 1)), np.zeros((2, 1))
    )
    environment = seeded(mdp)
    reached = np.mean([environment.step(0)[0] for _ in range(20_000)])

    assert reached == pytest.approx(0.6, abs=5 * np.sqrt(0.24 / 20_000))


def seeded(mdp, kind=TabularEnvironment):
    """An environment that has been reset with a fixed seed."""
    environment = kind(mdp)
    environment.reset(seed=0)
    return environment

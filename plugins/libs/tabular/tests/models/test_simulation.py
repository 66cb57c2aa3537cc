"""The two drivers of a tabular environment: step in Python, rollout in compiled code."""

import numba
import numpy as np
import pytest

from mfbpi_core import Interaction, Problem, TabularMDP, Transition
from mfbpi_core.errors import (
    ActionError,
    CheckpointError,
    ModelError,
    PluginError,
    RequirementError,
)
from mfbpi_lib_tabular.learning.agent import CompiledAgent
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.models.simulator import start_state, take_step


def random_mdp(reward_law="bernoulli", terminal=False) -> TabularMDP:
    """Five states, three actions, random rows; the last state may be terminal."""
    rng = np.random.default_rng(7)
    mask = np.zeros(5, dtype=bool)
    mask[4] = terminal
    transitions = rng.dirichlet(np.full(5, 0.4), size=(5, 3))
    rewards = rng.uniform(size=(5, 3, 5))
    rewards[mask] = 0.0
    return TabularMDP.from_dense(
        transitions,
        rewards,
        reward_law=reward_law,
        initial=[0.5, 0.5, 0, 0, 0],
        terminal=mask,
    )


@numba.njit
def _rollout(state, dynamics, chunk, env_rng, rng):
    for t in range(chunk.actions.size):
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        _, _, _, ended = take_step(dynamics, chunk, t, t % 3, u, v)
        if ended:
            start_state(dynamics, env_rng.random())


class Cycler(CompiledAgent):
    """Takes the actions 0, 1, 2 in turn."""

    rollout = staticmethod(_rollout)

    def __init__(self):
        self.problem = Problem(n_states=5, n_actions=3, discount=0.9, horizon=1_000)
        self.state = ()
        self.rng = np.random.default_rng(0)
        self.t = -1

    def select_action(self, observation):
        """The next action."""
        self.t += 1
        return self.t % 3

    def update(self, transition: Transition):
        """Learn nothing."""

    def recommend(self, observation):
        """Any action."""
        return 0


class Stepped(Cycler):
    """The same, without the compiled driver."""

    def advance(self, simulator, n_steps):
        """Ask to be stepped."""


@pytest.mark.parametrize("reward_law", ["bernoulli", "deterministic"])
@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("limit", [None, 4])
def test_both_drivers_give_the_same_steps(reward_law, terminal, limit):
    """All columns are equal, bit for bit, over episodes that terminate and truncate."""
    chunks = []
    for factory in (Cycler, Stepped):
        environment = TabularEnvironment(random_mdp(reward_law, terminal), limit)
        chunks.append(Interaction(environment, factory(), seed=11).advance(600))

    for column in ("observations", "actions", "rewards", "next_observations"):
        np.testing.assert_array_equal(getattr(chunks[0], column), getattr(chunks[1], column))
    for column in ("terminated", "truncated"):
        np.testing.assert_array_equal(getattr(chunks[0], column), getattr(chunks[1], column))
    assert chunks[0].terminated.any() == terminal
    assert chunks[0].truncated.any() == (limit is not None)


def test_drivers_can_be_mixed():
    """A rollout goes on where single steps stopped, in state, clock and generator."""
    mixed, stepped = (TabularEnvironment(random_mdp(), 7) for _ in range(2))
    mixed.reset(seed=3)
    whole = Interaction(stepped, Stepped(), seed=3).advance(30)
    for t in range(6):
        mixed.step(t % 3)

    chunk = Cycler().advance(mixed.simulator, 24)

    np.testing.assert_array_equal(chunk.next_observations, whole.next_observations[6:])
    np.testing.assert_array_equal(chunk.truncated, whole.truncated[6:])


def test_interaction_may_change_drivers():
    """After compiled steps, single steps start from the state where these ended."""
    mixed = Interaction(TabularEnvironment(random_mdp(), 7), Cycler(), seed=3)
    whole = Interaction(TabularEnvironment(random_mdp(), 7), Stepped(), seed=3).advance(24)
    mixed.advance(21)

    steps = mixed.advance(3, n_episodes=5)

    np.testing.assert_array_equal(steps.observations, whole.observations[21:])


def test_time_limit_counts_from_each_reset():
    """Every seventh step truncates."""
    steps = Interaction(TabularEnvironment(random_mdp(), 7), Cycler(), seed=0).advance(70)

    np.testing.assert_array_equal(np.flatnonzero(steps.truncated), np.arange(6, 70, 7))


def test_terminal_arrival_is_not_also_truncated():
    """When the limit and the end of the task coincide, the task ended."""
    mdp = TabularMDP.from_dense(
        [[[0.0, 1.0]], [[0.0, 1.0]]], [[0.5], [0.0]], terminal=[False, True]
    )
    environment = TabularEnvironment(mdp, max_episode_steps=1)
    environment.reset(seed=0)

    assert environment.step(0)[2:4] == (True, False)


def test_rounding_never_selects_a_state_of_probability_zero():
    """Ten times 0.1 sums to less than one; the largest uniform number still hits a used slot."""
    mdp = TabularMDP.from_successors(
        np.tile(np.arange(11), (11, 1, 1)),
        np.tile(np.append(np.full(10, 0.1), 0.0), (11, 1, 1)),
        np.zeros((11, 1)),
    )
    environment = TabularEnvironment(mdp)
    environment.reset(seed=0)
    environment._rng = Largest()

    assert environment.step(0)[0] == 9


class Largest:
    """A generator stuck at the largest number below one."""

    def random(self):
        """The largest double below one."""
        return np.nextafter(1.0, 0.0)


@pytest.mark.parametrize("action", [-1, 3, True, 1.0, "left", None])
def test_bad_actions_are_refused(action):
    """The message gives the action and the range."""
    environment = TabularEnvironment(random_mdp())
    environment.reset(seed=0)

    with pytest.raises(ActionError, match="expected an integer from 0 to 2"):
        environment.step(action)


@pytest.mark.parametrize("state", [-1, 5, 10**9])
def test_loading_a_state_that_is_none_is_refused(state):
    """Compiled code would read memory that is not its own."""
    environment = TabularEnvironment(random_mdp())
    saved = {**environment.state_dict(), "state": state}

    with pytest.raises(CheckpointError, match=f"saved state is {state}; expected 0 to 4"):
        environment.load_state_dict(saved)


def test_loading_a_state_without_an_array_is_refused():
    """The message names the missing array."""
    agent = Cycler()
    agent.state = Chunkless(np.zeros(2))

    with pytest.raises(CheckpointError, match="'table' is missing"):
        agent.load_state_dict({"arrays": {}, "rng": agent.rng.bit_generator.state})


class Chunkless(tuple):
    """A NamedTuple of one array, as small as can be."""

    def __new__(cls, table):
        """Hold one array."""
        return super().__new__(cls, (table,))

    def _asdict(self):
        return {"table": self[0]}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("successors", np.full((5, 3, 5), 5), "states that do not exist; expected 0 to 5 - 1"),
        ("successors", np.full((5, 3, 5), -1), "states that do not exist"),
        ("state", np.array([5]), "states that do not exist"),
        ("cdf", np.ones((5, 3, 5)), "distributions that are not closed"),
        ("initial_cdf", np.ones(5), "distributions that are not closed"),
        ("rewards", np.full((5, 3, 5), 1.5), "rewards from 1.5 to 1.5; expected .0.0, 1.0."),
        ("rewards", np.full((5, 3, 5), np.nan), "rewards from nan to nan"),
        ("rewards", np.zeros((5, 2, 5)), "sizes .* expected .S, A. = .5, 3."),
    ],
)
def test_arrays_made_by_hand_must_fit(field, value, says):
    """Compiled code checks no index: before its first step, an agent checks the arrays."""
    dynamics, rng = TabularEnvironment(random_mdp()).simulator

    with pytest.raises(PluginError, match=says):
        Cycler().advance((dynamics._replace(**{field: value}), rng), 10)


@pytest.mark.parametrize("limit", [0, -5, 2.5, True])
def test_time_limits_that_are_none_are_refused(limit):
    """A negative limit never ends an episode, whatever the environment declares."""
    with pytest.raises(ModelError, match=r"max_episode_steps is .*; expected an integer of 1 or"):
        TabularEnvironment(random_mdp(), limit)


@pytest.mark.parametrize("limits", [(-np.inf, np.inf), (0.0, np.inf)])
def test_rewards_without_limits_are_refused(limits):
    """Before a run: tables that start from infinity would learn NaN, in silence."""
    problem = Problem(
        n_states=5, n_actions=3, discount=0.9, horizon=10, reward_range=limits, environment="open"
    )

    with pytest.raises(
        RequirementError, match=r"environment open declares rewards from .* to inf;"
    ):
        Cycler.check(problem, None)

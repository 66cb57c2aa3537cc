"""Small environments of the kit's own, in plain numpy, and random instances for bounds."""

from __future__ import annotations

import bisect

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Cells, Environment
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.one_hot import marked_cells
from mfbpi_core.data.problem import Observation
from mfbpi_core.data.sampling import closed_cdf
from mfbpi_core.errors import ActionError

#: Steps after which an episode of the kit's environments is truncated.
TIME_LIMIT = 10


class ModelEnvironment(Environment):
    """Any tabular MDP as an environment, interpreted step by step, with a time limit.

    Args:
        mdp: the model.
        limit: steps after which an episode is truncated; None for no limit.
    """

    def __init__(self, mdp: TabularMDP, limit: int | None = TIME_LIMIT) -> None:
        self.mdp = mdp
        self.n_states = mdp.n_states
        self.n_actions = mdp.n_actions
        self.reward_range = mdp.reward_range
        self.max_episode_steps = limit
        self._first: list[float] = closed_cdf(mdp.initial).tolist()
        self._cdf: list[list[list[float]]] = closed_cdf(mdp.probabilities).tolist()  # [s][a][k]
        self.rng = np.random.default_rng()
        self.state = 0
        self.elapsed = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """Draw the first state."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.state = self.draw(self._first)
        self.elapsed = 0
        return self.observe(self.state), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Draw the successor, then the reward."""
        self.check_action(action)
        slot = self.draw(self._cdf[self.state][action])
        mean = float(self.mdp.rewards[self.state, action, slot])
        law = self.mdp.reward_law
        reward = float(self.rng.random() < mean) if law == "bernoulli" else mean
        self.state = int(self.mdp.successors[self.state, action, slot])
        self.elapsed += 1
        terminated = bool(self.mdp.terminal[self.state])
        limit = self.max_episode_steps
        truncated = limit is not None and self.elapsed >= limit and not terminated
        return self.observe(self.state), reward, terminated, truncated, {}

    def draw(self, cdf: list[float]) -> int:
        """Draw an index from cumulative probabilities that :func:`closed_cdf` made."""
        return bisect.bisect_right(cdf, self.rng.random())

    def check_action(self, action: object) -> None:
        """Refuse everything but integers in 0..A-1."""
        number = exact.whole(action)
        if number is None or not 0 <= number < self.n_actions:
            raise ActionError(
                f"action is {action!r}; expected an integer from 0 to {self.n_actions - 1}"
            )

    def observe(self, state: int) -> Observation:
        """What is shown of a state: the state."""
        return state

    @property
    def model(self) -> TabularMDP | None:
        """The model."""
        return self.mdp

    @property
    def cells(self) -> Cells | None:
        """One cell per state."""
        return Cells(count=self.mdp.n_states, index=lambda states: np.asarray(states, np.int64))


class OneHotEnvironment(ModelEnvironment):
    """The same with observations that are arrays: one-hot vectors, float32 [S]."""

    def __init__(self, mdp: TabularMDP, limit: int | None = TIME_LIMIT) -> None:
        super().__init__(mdp, limit)
        self.n_states = None
        self.observation_shape = (mdp.n_states,)

    def observe(self, state: int) -> Observation:
        """The unit vector of a state."""
        vector: Array = np.eye(self.mdp.n_states, dtype=np.float32)[state]
        return vector

    @property
    def cells(self) -> Cells | None:
        """One cell per state."""
        return Cells(count=self.mdp.n_states, index=marked_cells)


def two_state_chain() -> TabularMDP:
    """Two states, two actions, every transition possible, Bernoulli rewards."""
    transitions = [[[0.8, 0.2], [0.3, 0.7]], [[0.9, 0.1], [0.4, 0.6]]]
    rewards = [[0.1, 0.3], [0.2, 0.9]]
    return TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli", initial=[0.75, 0.25])


def zeros_in_every_place() -> TabularMDP:
    """Four states in whose rows, and whose initial distribution, zeros stand in every place.

    Action a of each state leads to the states that are the bits of a + 1; they are likelier the
    larger they are. The slots of other states are unused, and point to all states.
    """
    states = np.arange(4)
    support = (np.arange(1, 16)[:, None] >> states) % 2  # [A, K], the bits of a + 1
    weights = support * (states + 1.0)
    probabilities = np.tile(weights / weights.sum(axis=1, keepdims=True), (4, 1, 1))
    return TabularMDP.from_successors(
        np.tile(states, (4, 15, 1)),
        probabilities,
        np.tile((states + 1.0) / 8.0, (4, 15, 1)),
        reward_law="bernoulli",
        initial=[0.0, 0.3, 0.0, 0.7],
    )


def random_mdp(rng: np.random.Generator, n_states: int = 4, n_actions: int = 3) -> TabularMDP:
    """Dirichlet(1) transitions and uniform mean rewards: communicating, without ties."""
    transitions = rng.dirichlet(np.ones(n_states), size=(n_states, n_actions))
    rewards = rng.random((n_states, n_actions))
    return TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli")


def tied_mdp() -> TabularMDP:
    """Two states whose two actions do the same: every policy is optimal."""
    transitions = np.full((2, 2, 2), 0.5)
    return TabularMDP.from_dense(transitions, [[0.2, 0.2], [0.7, 0.7]], reward_law="bernoulli")


def relabelled(mdp: TabularMDP, order: npt.NDArray[np.int64]) -> TabularMDP:
    """The same instance with state ``order[i]`` called i."""
    dense = mdp.transitions[order][:, :, order]
    return TabularMDP.from_dense(
        dense,
        mdp.mean_rewards[order],
        reward_law=mdp.reward_law,
        initial=mdp.initial[order],
        terminal=mdp.terminal[order],
        reward_range=mdp.reward_range,
    )

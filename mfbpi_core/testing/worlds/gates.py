"""Environments of the kit's own in which an episode ends one way or the other."""

from __future__ import annotations

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Observation
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment


class Gate(ModelEnvironment):
    """State 0 is before a gate, state 1 beyond it; passing ends the episode one way or the other.

    In state 0, action 0 passes to state 1 with reward 0 and action 1 stays with reward 0.3.
    Beyond, action 0 pays 1 and action 1 pays 0.8, and both stay. Episodes start before and beyond
    the gate in turn. With gamma = 0.9, what lies beyond is worth 10: passing is worth 9 and
    staying at most 8.4 where passing truncates; 0 and 3 where it terminates.

    Args:
        terminates: whether passing the gate terminates the episode, else it truncates it.
    """

    def __init__(self, *, terminates: bool) -> None:
        passing, staying, beyond = [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]
        super().__init__(
            TabularMDP.from_dense([[passing, staying], [beyond, beyond]], [[0.0, 0.3], [1.0, 0.8]])
        )
        self.terminates = terminates
        self.episodes = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """Start before the gate, next time beyond it."""
        self.episodes = 0 if seed is not None else self.episodes + 1
        super().reset(seed=seed, options=options)
        self.state = self.episodes % 2
        return self.observe(self.state), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Passing the gate ends the episode."""
        before = self.state
        observation, reward, _, truncated, info = super().step(action)
        passed = before == 0 and self.state == 1
        terminated = passed and self.terminates
        return observation, reward, terminated, (truncated or passed) and not terminated, info

    @property
    def model(self) -> TabularMDP | None:
        """None: whether passing ends everything is not in the transition probabilities."""
        return None


class OneHotGate(Gate, OneHotEnvironment):
    """The gate with observations that are arrays."""

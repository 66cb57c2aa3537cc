"""Return of the recommended policy, by simulation.

    greedy_return = mean over 20 episodes of the sum of rewards, undiscounted,

of episodes in which the agent does what it recommends, in an environment of its own with random
numbers of its own: nothing is learned and the run does not notice. The episodes at one step of a
run are the same whatever was measured before, for every agent with the same seed.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments. There the evaluation draws from the generator that training uses.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable

import attrs
import numpy as np

from mfbpi_core import Environment, Metric, Problem, Snapshot, parameter
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import RequirementError
from mfbpi_core.running.guard import Guard

#: Where the user does not say, a run is measured at this many points or more.
POINTS = 20

#: Seeds that environments accept: 0 to 2**32 - 1.
SEEDS = 2**32


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of the greedy return."""

    episodes: int = parameter(20, "episodes that are averaged", ge=1, source="paper")
    every: int | None = parameter(
        None, "measure at multiples of so many steps only; none: 20 to 50 points of a run", ge=1
    )


def round_interval(horizon: int, points: int = POINTS) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, ... of which ``points`` fit into ``horizon``; 1 or more.

    A round number, so that it shares multiples with the interval between evaluations.
    """
    interval = 1
    for factor in itertools.cycle((2.0, 2.5, 2.0)):
        following = round(interval * factor)
        if following * points > horizon:
            break
        interval = following
    return interval


class GreedyReturn(Metric[Config]):
    """The metric ``greedy_return``.

    Whether it is measured depends on the step alone, not on when it was measured before; at the
    end of a run it is measured at any step.

    Attributes:
        every: steps between measurements.

    Raises:
        RequirementError: for an environment whose episodes need not end.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: Config, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        if environment.max_episode_steps is None:
            raise RequirementError(
                f"episodes of {type(environment).__name__} need not end, so that they have no "
                "return; expected an environment with max_episode_steps"
            )
        self._limit = environment.max_episode_steps
        name = problem.environment or type(environment).__name__
        self._guard = Guard(environment, f"{name}, evaluated", "the recommendation")
        self.every = config.every or round_interval(problem.horizon)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Column ``greedy_return``, at multiples of ``every`` and at the end of the run."""
        if snapshot.step % self.every and not snapshot.last:
            return {}
        policy = _Recommendation(snapshot)
        seed = int(snapshot.rng().integers(SEEDS))
        returns = [
            self._episode(policy, seed if number == 0 else None)
            for number in range(self.config.episodes)
        ]
        return {"greedy_return": float(np.mean(returns))}

    def _episode(self, policy: _Recommendation, seed: int | None) -> float:
        """The return of one episode; a seed restarts the environment's generator."""
        guard, total = self._guard, 0.0
        observation = guard.first(self.environment.reset(seed=seed), 1)
        for step in range(1, self._limit + 1):
            action = policy(observation)
            observation, reward, terminated, truncated = guard.outcome(
                self.environment.step(action), observation, action, step
            )
            total += reward
            if terminated or truncated:
                break
        return total

    def state_dict(self) -> StateDict:
        """Nothing: measuring leaves no trace."""
        return {}


class _Recommendation:
    """What an agent recommends, asked once for each observation.

    Twenty episodes in a small grid see the same few observations; a network need not be asked
    again.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[Hashable, int] = {}

    def __call__(self, observation: Observation) -> int:
        key = observation.tobytes() if isinstance(observation, np.ndarray) else observation
        if key not in self._known:
            self._known[key] = self._snapshot.recommend(observation)
        return self._known[key]

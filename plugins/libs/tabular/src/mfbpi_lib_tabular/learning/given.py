"""What a tabular agent is given in a loop of the caller's own: compiled code knows no limits.

A state beyond its tables would be another place in memory. Runs check the same before agents see
it; here the ordinary case costs a microsecond.
"""

from __future__ import annotations

from mfbpi_core import Problem, Transition
from mfbpi_core.data import exact
from mfbpi_core.errors import UsageError

#: A transition as compiled functions take it.
Step = tuple[int, int, float, int, bool]


class Given:
    """What an agent of one problem may be given; the problem has integer states."""

    def __init__(self, problem: Problem) -> None:
        assert problem.n_states is not None  # a tabular agent's spec needs "states"
        self._n_states, self._n_actions = problem.n_states, problem.n_actions
        self._range = problem.reward_range
        self._low, self._high = exact.limits(*problem.reward_range)

    def state(self, observation: object) -> int:
        """A state; raises :class:`UsageError` for anything else."""
        return self._whole("observation", observation, self._n_states)

    def step(self, transition: Transition) -> Step:
        """The state, action, reward, state that follows, and whether the episode terminated.

        Raises:
            UsageError: when one of them cannot be.
        """
        reward, terminated = exact.real(transition.reward), exact.flag(transition.terminated)
        if reward is None or not self._low <= reward <= self._high:
            low, high = self._range
            raise _refused("reward", transition.reward, f"a finite number from {low:g} to {high:g}")
        if terminated is None:
            raise _refused("terminated", transition.terminated, "True or False")
        return (
            self.state(transition.observation),
            self._whole("action", transition.action, self._n_actions),
            reward,
            self._whole("next_observation", transition.next_observation, self._n_states),
            terminated,
        )

    def _whole(self, what: str, value: object, count: int) -> int:
        number = exact.whole(value)
        if number is None or not 0 <= number < count:
            raise _refused(what, value, f"an integer from 0 to {count - 1}")
        return number


def _refused(what: str, value: object, expected: str) -> UsageError:
    return UsageError(f"the agent is given {what} {exact.shown(value)}; expected {expected}")

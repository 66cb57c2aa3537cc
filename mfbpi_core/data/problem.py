"""What an agent is told about the problem before its first step."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from mfbpi_core.data.arrays import Array

#: What an environment shows: an integer state, or an array of features. An agent that needs one of
#: them says so by its spec, and takes what it is shown for that.
Observation: TypeAlias = int | Array

#: Integer states, arrays of numbers, or arrays of zeros with at most one 1.
ObservationKind = Literal["states", "arrays", "one_hot"]


@attrs.frozen(kw_only=True)
class Problem:
    """What an agent is told about the problem before its first step; never the model.

    Attributes:
        n_states: number of states S where observations are integers 0..S-1, else None.
        n_actions: number of actions A; actions are integers 0..A-1.
        observation_shape: shape of one observation, ``()`` for integer states.
        observation_kind: what they are; if not given, states or arrays, by ``n_states``.
        discount: gamma, in (0, 1).
        horizon: number of steps the agent will be given.
        reward_range: declared lowest and highest reward.
        environment: name of the environment, so that published settings can be looked up.
    """

    n_states: int | None
    n_actions: int
    observation_shape: tuple[int, ...] = ()
    discount: float
    horizon: int
    reward_range: tuple[float, float] = (0.0, 1.0)
    environment: str = ""
    observation_kind: ObservationKind = attrs.field()

    @observation_kind.default
    def _states_or_arrays(self) -> ObservationKind:
        return "arrays" if self.n_states is None else "states"

    @property
    def reward_unit(self) -> float:
        """What rewards are divided by where a formula is meant for rewards in [0, 1].

        The width of the least interval that holds the declared range and 0, the value of an end. A
        shift would change which policy is best where episodes end; a common factor does not.
        """
        low, high = self.reward_range
        return max(high, 0.0) - min(low, 0.0)

    @property
    def largest_value(self) -> float:
        """The largest value that a state can have, be it that of an end."""
        return max(self.reward_range[1], 0.0) * self.effective_horizon

    @property
    def effective_horizon(self) -> float:
        """H = 1 / (1 - gamma), rounded to 9 digits so that gamma = 0.99 gives 100, not 99.99."""
        return round(1.0 / (1.0 - self.discount), 9)

"""Agents with generators of classes of their own: no state is taken of what it does not tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Agent, Transition
from mfbpi_core.errors import CheckpointError


class Own(Agent[Any]):
    """An agent with the state of the contract."""

    def __init__(self, problem: Any, config: Any, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.rng = rng

    def select_action(self, observation: Any) -> int:
        """Any."""
        return int(self.rng.integers(2))

    def update(self, transition: Transition) -> None:
        """Learn nothing."""

    def recommend(self, observation: Any) -> int:
        """The first."""
        return 0


class Dice(np.random.Generator):
    """A generator of a class of its own, of which a state tells nothing."""


class Bits(np.random.PCG64):
    """Bits of a class of their own."""


@pytest.mark.parametrize("rng", [Dice(np.random.PCG64(1)), np.random.Generator(Bits(1))])
@pytest.mark.parametrize(
    ("agent", "place"),
    [("q_learning", r"\.rng"), ("bsp2", r"\w+\.rng"), ("mine", r"Own\.rng")],
)
def test_no_state_of_generators_of_other_classes(
    agent: str, place: str, rng: np.random.Generator
) -> None:
    """Refused when it is taken: going on from it might differ without a word."""
    name, settings = ("slipping_deep_sea", {"size": 4}) if agent == "bsp2" else ("riverswim", {})
    env = mfbpi.make_environment(name, **settings)
    made = mfbpi.make_agent("uniform" if agent == "mine" else agent, env, seed=0)
    kind: Any = Own if agent == "mine" else type(made)
    with pytest.raises(CheckpointError, match=rf"\.(Dice|Bits) at {place}; expected a class"):
        kind(made.problem, made.config, rng).state_dict()

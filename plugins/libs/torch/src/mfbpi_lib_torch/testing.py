"""Problems and batches for the tests of deep agents; nothing but tests imports this module."""

from __future__ import annotations

from typing import Any

import torch

from mfbpi_core import Problem
from mfbpi_lib_torch.experience.memory import Batch
from mfbpi_lib_torch.networks.ensemble import Inputs


def array_problem(
    shape: tuple[int, ...] = (3,), environment: str = "", discount: float = 0.99, **others: Any
) -> Problem:
    """A problem with that observation; two actions unless given."""
    settings = {"n_states": None, "n_actions": 2, "horizon": 1000, **others}
    return Problem(observation_shape=shape, environment=environment, discount=discount, **settings)


def hand_batch() -> Batch:
    """Two transitions: actions 1 and 0, rewards 1 and 2, the second terminates; gamma = 1/2."""
    return Batch(
        both=Inputs(),
        now=Inputs(),
        priors={},
        actions=torch.tensor([[[1, 0]]]),
        rewards=torch.tensor([[[1.0, 2.0]]]),
        discounts=torch.tensor([[[0.5, 0.0]]]),
        mask=None,
    )

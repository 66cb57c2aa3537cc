"""Parameters of ensemble UCB, and its settings by environment."""

from __future__ import annotations

import attrs

from mfbpi_core import Problem, parameter
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, deep_sea_size


@attrs.frozen(kw_only=True)
class Config(DeepConfig):
    """Parameters of ensemble UCB; the defaults are those of CartPole swing-up."""

    optimism: float = parameter(2.0, "c, standard deviations above the mean", ge=0)


def preset(problem: Problem) -> dict[str, object]:
    """The settings of bsp2 for a problem, where they are not the defaults."""
    size = deep_sea_size(problem)
    return {} if size is None else {**deep_sea_preset(size), "learning_rate": 1e-3}

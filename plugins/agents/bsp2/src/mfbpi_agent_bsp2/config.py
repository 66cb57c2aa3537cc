"""Parameters of BSP2, and the published settings by environment."""

from __future__ import annotations

import attrs

from mfbpi_core import Problem
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, deep_sea_size


@attrs.frozen(kw_only=True)
class Config(DeepConfig):
    """Parameters of BSP2; the defaults are those of CartPole swing-up."""


def preset(problem: Problem) -> dict[str, object]:
    """The published settings for a problem, where they are not the defaults."""
    size = deep_sea_size(problem)
    return {} if size is None else {**deep_sea_preset(size), "learning_rate": 1e-3}

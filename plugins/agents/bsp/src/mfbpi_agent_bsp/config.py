"""Parameters of BSP, and the published settings by environment."""

from __future__ import annotations

import attrs

from mfbpi_core import Problem, parameter
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, deep_sea_size


@attrs.frozen(kw_only=True)
class Config(DeepConfig):
    """Parameters of BSP; the defaults are those of CartPole swing-up."""

    mask_probability: float = parameter(
        0.5,
        "probability that a member ever learns from a transition",
        gt=0,
        le=1,
        source="Russo & Proutiere 2023, appendix",
    )


def preset(problem: Problem) -> dict[str, object]:
    """The published settings for a problem, where they are not the defaults."""
    size = deep_sea_size(problem)
    return {} if size is None else {**deep_sea_preset(size), "learning_rate": 1e-3}

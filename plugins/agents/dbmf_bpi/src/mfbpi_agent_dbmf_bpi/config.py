"""Parameters of DBMF-BPI, and the published settings by environment."""

from __future__ import annotations

import attrs

from mfbpi_core import Problem, parameter
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, deep_sea_size


@attrs.frozen(kw_only=True)
class Config(DeepConfig):
    """Parameters of DBMF-BPI; the defaults are those of CartPole swing-up."""

    k: int = parameter(
        2,
        "order of the moment: M estimates the 2^k-th, with loss=huber or small rewards if k > 2",
        ge=1,
        le=4,
        source="appendix",
    )
    optimal_weight: str = parameter(
        "paper",
        "weight of the greedy action: the paper's, or that of the published code, which is smaller",
        choices=("paper", "published"),
    )
    moments: str = parameter(
        "learned",
        "M: a second ensemble, or constant, zero as where nothing is random, a third less work",
        choices=("learned", "constant"),
    )
    level_low: float = parameter(
        0.0, "levels of the quantiles are uniform between this and 1", ge=0, lt=1
    )
    gap_offset: float = parameter(0.0, "lambda, added to every gap", ge=0, source="algorithm 2")
    gap_floor: float = parameter(1e-8, "least gap, so that ties stay finite", ge=1e-100)
    initial_gap: float = parameter(
        0.01, "estimate of the smallest gap before the first update", gt=0, source="appendix"
    )


def preset(problem: Problem) -> dict[str, object]:
    """The published settings for a problem, where they are not the defaults."""
    size = deep_sea_size(problem)
    return {} if size is None else deep_sea_preset(size)

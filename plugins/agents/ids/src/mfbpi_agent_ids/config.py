"""Parameters of IDS, and the published settings by environment."""

from __future__ import annotations

import attrs

from mfbpi_core import Problem, parameter
from mfbpi_lib_torch.config import DeepConfig, deep_sea_preset, deep_sea_size

_SOURCE = "Russo & Proutiere 2023, appendix"


@attrs.frozen(kw_only=True)
class Config(DeepConfig):
    """Parameters of IDS; the defaults are those of CartPole swing-up."""

    prior_scale: float = parameter(
        0.0, "factor of the fixed random networks; 0 for none", ge=0, source=_SOURCE
    )
    mask_probability: float = parameter(
        1.0, "probability that a member learns from a transition", gt=0, le=1, source=_SOURCE
    )
    gain: float = parameter(
        1.5, "sd of the first weights times sqrt(fan in), values", gt=0, source=_SOURCE
    )
    quantile_gain: float = parameter(2.0, "the same, quantiles", gt=0, source=_SOURCE)
    quantiles: int = parameter(50, "number of quantiles of the return", ge=2, source=_SOURCE)
    quantile_learning_rate: float = parameter(
        1e-6, "step size of the quantile network", gt=0, source=_SOURCE
    )
    optimism: float = parameter(
        5.0, "standard deviations in the estimate of the regret", ge=0, source=_SOURCE
    )
    least_noise: float = parameter(
        10.0, "c, least relative variance of the return", gt=0, source=_SOURCE
    )
    exploration_clock: str = parameter(
        "steps",
        "t of the uniform exploration: steps, or updates counted from 1, as in the published code",
        choices=("steps", "updates"),
    )
    loss_divisor: float = parameter(
        1.0,
        "divisor of the ensemble's mean loss, and so a factor of Adam's eps; ensemble_size in the "
        "published code",
        gt=0,
    )
    time_limit: str = parameter(
        "bootstrap",
        "what follows a truncated episode: the next state's value, or nothing (terminal), as in "
        "the published code",
        choices=("bootstrap", "terminal"),
    )


def preset(problem: Problem) -> dict[str, object]:
    """The published settings for a problem, where they are not the defaults."""
    size = deep_sea_size(problem)
    if size is None:
        return {}
    return {**deep_sea_preset(size), "hidden": 50, "prior_scale": 0.0, "least_noise": 0.25}

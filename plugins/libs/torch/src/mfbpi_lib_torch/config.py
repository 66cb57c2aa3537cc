"""Parameters that the deep agents share, and the published settings by environment.

Source: Russo & Proutiere 2023, appendix on DeepSea and CartPole swing-up.
"""

from __future__ import annotations

import attrs

from mfbpi_core import Problem, parameter

#: Rules of :mod:`mfbpi_lib_torch.networks.initialisers`.
INITIALISERS = ("truncated_normal", "wide_fan_uniform", "wide_fan_normal")

#: The least positive number that masks are drawn with: they take 24 random bits.
LEAST_DRAWN = 2.0**-24

LOSSES = ("huber", "squared")

#: Prior scale by size of DeepSea; other sizes are interpolated.
PRIOR_SCALES = {10: 3.0, 20: 5.0, 30: 10.0, 40: 15.0, 50: 20.0}

_SOURCE = "appendix, tables of the deep agents"


@attrs.frozen(kw_only=True)
class DeepConfig:
    """What every deep agent has; the defaults are those of CartPole swing-up."""

    ensemble_size: int = parameter(20, "members B of the ensemble", ge=2, source=_SOURCE)
    hidden: int = parameter(50, "units of each of the two hidden layers", ge=1, source=_SOURCE)
    learning_rate: float = parameter(5e-4, "step size of Adam", gt=0, source=_SOURCE)
    prior_scale: float = parameter(
        3.0, "factor of the fixed random networks; 0 for none", ge=0, source=_SOURCE
    )
    batch_size: int = parameter(128, "transitions of one update", ge=1, source=_SOURCE)
    buffer_size: int = parameter(100_000, "transitions kept for replay", ge=1, source=_SOURCE)
    target_period: int = parameter(4, "updates between target copies", ge=1, source=_SOURCE)
    exploration_steps: float = parameter(
        10.0, "c of the uniform exploration eps_t = c / (c + t)", ge=0, source=_SOURCE
    )
    mask_probability: float = parameter(
        0.7,
        "probability that a member learns from a transition",
        ge=LEAST_DRAWN,
        le=1,
        source=_SOURCE,
    )
    loss: str = parameter(
        "squared", "Huber's loss or the square of the error", choices=LOSSES, source=_SOURCE
    )
    initialiser: str = parameter(
        "truncated_normal", "rule of the first weights", choices=INITIALISERS
    )
    prior_initialiser: str = parameter(
        "truncated_normal", "rule of the priors' weights", choices=INITIALISERS
    )
    one_hot: str = parameter(
        "auto",
        "whether observations are one-hot, and looked up in a table; auto: as declared",
        choices=("auto", "yes", "no"),
    )
    device: str = parameter("cpu", "where the networks live: cpu, cuda or cuda:N")


def deep_sea_size(problem: Problem) -> int | None:
    """N of a slipping DeepSea, else None."""
    name = problem.environment.rpartition(":")[2]
    return problem.observation_shape[0] if name == "slipping_deep_sea" else None


def deep_sea_preset(size: int) -> dict[str, object]:
    """What DeepSea runs of every agent have in common, for size N: published settings but one.

    The published priors are of rules with too large a fan, see ``initialisers``: a tenth of these.
    With them an agent finds the reward late or never, and the rules differ between the agents, so
    that a comparison is one of priors. Here all agents have the priors of CartPole's rule.
    """
    return {
        "hidden": 32,
        "prior_scale": prior_scale(size),
        "loss": "huber",
        "initialiser": "wide_fan_uniform",
        "prior_initialiser": "truncated_normal",
    }


def prior_scale(size: int) -> float:
    """The published prior scale, linear between the published sizes and constant beyond them."""
    sizes = sorted(PRIOR_SCALES)
    size = min(max(size, sizes[0]), sizes[-1])
    above = next(known for known in sizes if known >= size)
    below = max(known for known in sizes if known <= size)
    if above == below:
        return PRIOR_SCALES[size]
    share = (size - below) / (above - below)
    return PRIOR_SCALES[below] + share * (PRIOR_SCALES[above] - PRIOR_SCALES[below])

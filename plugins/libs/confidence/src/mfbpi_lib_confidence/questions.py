"""What a rule that rests on a box cannot answer, refused before anything runs."""

from __future__ import annotations

import numpy as np

from mfbpi_core import Problem, Scope
from mfbpi_core.errors import ConfigError
from mfbpi_lib_certificates.certificate import LARGEST_DISCOUNT

#: Widths of the range of rewards at which the slack of a verdict neither vanishes nor overflows.
WIDTHS = 1e-100, 1e100


def require_answerable(problem: Problem, epsilon: float, scope: Scope, rule: str) -> None:
    """Refuse questions without an answer.

    Args:
        problem: the problem.
        epsilon: the accepted loss.
        scope: the states that the verdict is about.
        rule: who asks, for the message.

    Raises:
        ConfigError: for a discount too near to 1; for rewards without limits, or limits too near or
            too far apart for float64; or for epsilon = 0 with a smaller scope than all.
    """
    if problem.discount > LARGEST_DISCOUNT:
        raise ConfigError(
            f"the discount is 1 - {1.0 - problem.discount:.3g}; {rule} expects at most "
            f"1 - {1.0 - LARGEST_DISCOUNT:.0e}: beyond, rounding spoils what is certified"
        )
    low, high = problem.reward_range
    if not (np.isfinite([low, high]).all() and WIDTHS[0] <= high - low <= WIDTHS[1]):
        raise ConfigError(
            f"rewards are declared from {low:g} to {high:g}; {rule} expects two finite limits, "
            f"{WIDTHS[0]:g} to {WIDTHS[1]:g} apart (`reward_range`)"
        )
    if epsilon == 0.0 and scope != "all":
        raise ConfigError(
            "epsilon = 0 needs scope all: that no action improves the policy in some states "
            "proves nothing while the true model may lead to others; choose `epsilon` above 0"
        )

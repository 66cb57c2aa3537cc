"""The coefficients of the bounds, from a model that an agent estimated or drew.

An estimate rarely has exact ties, but its gaps can be as small as rounding, and without data all
are zero. Gaps are floored, so that the coefficients stay finite.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_tabular.learning.posterior import ROUNDING, Estimate
from mfbpi_lib_tabular.solution import gaps, moments
from mfbpi_lib_tabular.solution.moments import Outlook
from mfbpi_lib_tabular.solution.planning import Plan

FloatArray = npt.NDArray[np.float64]

#: Names of the bounds that an agent can follow.
BOUNDS = ("u0", "u")


def of_model(
    bound: str,
    model: Estimate,
    plan: Plan,
    discount: float,
    gap_floor: float,
    k_max: int,
    unit: float = 1.0,
) -> Coefficients:
    """Coefficients of a bound for a planned model.

    Args:
        bound: ``"u0"`` or ``"u"``.
        model: transitions and rewards.
        plan: its optimal values.
        discount: gamma.
        gap_floor: least gap, more than 0, in that unit.
        k_max: largest k of the moments that enter ``u``.
        unit: what rewards are divided by first, see ``Problem.reward_unit``.
    """
    delta = np.maximum(gaps.gaps(plan) / unit, gap_floor)
    outlook, values = _outlook(model, plan.values / unit)
    if bound == "u":
        terms = moments.largest_moment_terms(outlook, values, k_max)
        return coefficients.u(delta, terms, plan.policy, discount)
    variances, spans = moments.variances(outlook, values), moments.spans(outlook, values)
    return coefficients.u0(delta, variances, spans, plan.policy, discount)


def _outlook(model: Estimate, values: FloatArray) -> tuple[Outlook, FloatArray]:
    """The next state of each pair and the values there, for moments; an ending is worth 0.

    Every state is a successor, in order, and one more stands for the ending where there is any.
    """
    probabilities = model.transitions
    ending = np.maximum(1.0 - probabilities.sum(axis=2), 0.0)  # [S, A]
    if ending.max() > ROUNDING:
        probabilities = np.concatenate([probabilities, ending[:, :, None]], axis=2)
        values = np.append(values, 0.0)
    shape = probabilities.shape
    return Outlook(np.broadcast_to(np.arange(shape[2]), shape), probabilities), values

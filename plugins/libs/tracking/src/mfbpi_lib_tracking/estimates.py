"""The quantities that bounds are made from, of a model that an agent estimated or drew.

An estimate rarely has exact ties, but its gaps can be as small as rounding, and without data all
are zero. Gaps are floored, so that the coefficients of a bound stay finite.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_tabular.learning.posterior import ROUNDING, Estimate
from mfbpi_lib_tabular.solution import gaps, moments
from mfbpi_lib_tabular.solution.moments import Outlook
from mfbpi_lib_tabular.solution.planning import Plan


@attrs.frozen(kw_only=True, eq=False)
class EstimatedQuantities:
    """A planned model; see :class:`mfbpi_lib_bounds.planned.Quantities`.

    Attributes:
        model: transitions and rewards.
        plan: its optimal values and policy.
        discount: gamma.
        gap_floor: least gap, more than 0, in that unit.
        unit: what rewards are divided by first, see ``Problem.reward_unit``.
        epsilon: loss of value that is accepted: none.
    """

    model: Estimate
    plan: Plan
    discount: float
    gap_floor: float
    unit: float = 1.0
    epsilon: float = 0.0

    @property
    def policy(self) -> npt.NDArray[np.int64]:
        """Int64 [S], an optimal policy."""
        return self.plan.policy

    @property
    def acting(self) -> npt.NDArray[np.bool_]:
        """Bool [S]: an estimate does not know of states that take no decisions."""
        return np.ones(len(self.plan.policy), dtype=np.bool_)

    @property
    def gaps(self) -> FloatArray:
        """Delta(s, a), float64 [S, A], floored."""
        floored: FloatArray = np.maximum(gaps.gaps(self.plan) / self.unit, self.gap_floor)
        return floored

    @property
    def variances(self) -> FloatArray:
        """Var_sa, [S, A]."""
        return moments.variances(*self._outlook)

    @property
    def spans(self) -> FloatArray:
        """MD_sa, [S, A]."""
        return moments.spans(*self._outlook)

    def moment_terms(self, k: int) -> FloatArray:
        """(M^k_sa)^(2^(1-k)), [S, A]."""
        return moments.moment_terms(*self._outlook, k)

    def largest_moment_terms(self, k_max: int) -> FloatArray:
        """The largest moment terms over k = 1..k_max, [S, A]."""
        return moments.largest_moment_terms(*self._outlook, k_max)

    @functools.cached_property
    def _outlook(self) -> tuple[Outlook, FloatArray]:
        """The next state of each pair and the values there, for moments; an ending is worth 0.

        Every state is a successor, in order, and one more stands for the ending where there is any.
        """
        probabilities, values = self.model.transitions, self.plan.values / self.unit
        ending = np.maximum(1.0 - probabilities.sum(axis=2), 0.0)  # [S, A]
        if ending.max() > ROUNDING:
            probabilities = np.concatenate([probabilities, ending[:, :, None]], axis=2)
            values = np.append(values, 0.0)
        shape = probabilities.shape
        return Outlook(np.broadcast_to(np.arange(shape[2]), shape), probabilities), values

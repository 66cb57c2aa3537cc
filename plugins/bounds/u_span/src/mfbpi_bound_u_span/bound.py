"""An upper bound on the characteristic time that covers every confusing model.

    U(w) = min(R(w), S(w)),
    R(w) = max over (s, a) outside pi of (b / w(s, a) + K(w) ((1+g)/(1-g))^2) / D^2,
    S(w) = max of (b / w(s, a) + K(w)) / D^2 over (s, a) outside pi, and 2 K(w) / (eps (1-g))^2,
    K(w) = max over s of b / w(s, pi(s)),   D = gap(s, a) + eps (1-g),

with pi optimal, g the discount, eps the accepted loss (S needs eps > 0), W the width of the
rewards' range, H the span of V* over all states, and

    b = W^2/2 + (g H)^2/2   where reward and next state are independent given (s, a),
    b = (W + g H)^2 / 2     otherwise.

The proof is in the README.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.contracts.parameters import parameter
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import SolverConfig, TabularBound
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import PlannedInstance


@attrs.frozen(kw_only=True)
class Config(SolverConfig):
    """Parameters."""

    rewards: str = parameter(
        "auto",
        "how reward and next state depend in confusing models; auto: independent if, in the "
        "model, no pair's mean reward depends on the next state",
        choices=("auto", "independent", "dependent"),
    )


class USpan(Bound[Config]):
    """The bound of this module; see the head of it."""

    def __init__(self, discount: float, config: Config) -> None:
        super().__init__(discount, config)
        first = _Deviations(discount, config)
        self._forms: tuple[_Deviations, ...] = (first,)
        if config.epsilon > 0.0:
            self._forms = (first, _Losses(discount, config, first))

    def evaluate(self, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
        """The smaller of the two forms at an allocation [S, A]; see :class:`TabularBound`."""
        return min(form.evaluate(mdp, allocation) for form in self._forms)

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Minimise each form, and keep the smaller; see :class:`TabularBound`."""
        found = [form.solve(mdp, constraint) for form in self._forms]
        best = min(found, key=lambda one: one.value)
        # The least value of the minimum is not below the smaller of the lower bounds.
        lowest = min(one.details.get("lower_bound", math.nan) for one in found)
        if not lowest < best.details.get("lower_bound", math.nan):
            return best
        details = {**best.details, "lower_bound": lowest}
        return attrs.evolve(best, relative_gap=1.0 - lowest / best.value, details=details)


class _Deviations(TabularBound[Config]):
    """The form R."""

    covers = "every confusing model"
    convex = True

    def coefficients(self, of: PlannedInstance) -> Coefficients:
        """Coefficients of the instance."""
        return planned.u_span(of, independent=self._independent(of.mdp))

    def _independent(self, mdp: TabularMDP) -> bool:
        if self.config.rewards != "auto":
            return self.config.rewards == "independent"
        paid = np.where(mdp.probabilities > 0.0, mdp.rewards, mdp.mean_rewards[:, :, None])
        return bool(np.ptp(paid, axis=2).max() <= _SAME * max(1.0, float(np.abs(paid).max())))


#: Means that differ by less, in relation to the largest, are the same up to rounding.
_SAME = 1e-12


class _Losses(_Deviations):
    """The form S, of the plan of the other one."""

    def __init__(self, discount: float, config: Config, first: _Deviations) -> None:
        super().__init__(discount, config)
        self._first = first

    def coefficients(self, of: PlannedInstance) -> Coefficients:
        """Coefficients of the instance."""
        return planned.u_span_loss(of, independent=self._independent(of.mdp))

    def _planned(self, mdp: TabularMDP) -> PlannedInstance:
        """The instance as the other form has planned it."""
        instance = self._first._planned(mdp)
        if instance is not self._instance:
            self._instance, self._coefficients = instance, None
        return instance

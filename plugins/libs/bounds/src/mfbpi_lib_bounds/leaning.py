"""The hardest and the easiest instance that the numbers of a planned one can stand for.

Gaps and moments of V* are known up to an error with a rigorous bound
(:mod:`mfbpi_lib_tabular.solution.refinement`, :mod:`mfbpi_lib_tabular.solution.spread`). Every
coefficient of every bound falls with the gaps and rises with variances, spans and moments, so that
it lies between those of the two instances here.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_tabular.solution import gaps
from mfbpi_lib_tabular.solution.spread import Spread

EPS = float(np.finfo(np.float64).eps)


@attrs.frozen(kw_only=True, eq=False)
class Leaning(PlannedInstance):
    """An instance with each number at one end of its range.

    Attributes:
        base: the instance.
        sign: 1: least gaps and largest moments, so the hardest; -1: the easiest.
    """

    base: PlannedInstance
    sign: int

    @classmethod
    def of(cls, base: PlannedInstance, sign: int) -> Leaning:
        """The hardest (1) or easiest (-1) instance that the numbers of ``base`` can stand for."""
        return cls(mdp=base.mdp, discount=base.discount, epsilon=base.epsilon, base=base, sign=sign)

    @property
    def separation(self) -> gaps.Separation:
        """As of the base: optimal policy and values, ties and unresolved pairs."""
        return self.base.separation

    @property
    def gaps(self) -> FloatArray:
        """Delta(s, a) less its error, or more."""
        found = self.base.gaps
        return self._leant(found, -EPS * found - self.separation.gap_error)

    @property
    def value_span(self) -> float:
        """As of the base, at its end."""
        found = self.base.value_span
        off = EPS * float(np.abs(self.separation.values).max()) + 2.0 * self.separation.value_error
        return max(found + self.sign * off, 0.0)

    @property
    def spread(self) -> Spread:
        """As of the base: how V* varies at the next state, and the errors."""
        return self.base.spread

    @property
    def variances(self) -> FloatArray:
        """Var_sa at its end, [S, A]."""
        return self._leant(np.sqrt(self.base.variances), self.spread.root_errors) ** 2

    @property
    def spans(self) -> FloatArray:
        """MD_sa at its end, [S, A]."""
        return self._leant(self.base.spans, self.spread.span_errors)

    def moment_roots(self, k: int, *, largest: bool) -> FloatArray:
        """(M^k_sa)^(2^-k) at its end, or its largest value up to k, [S, A]."""
        return self._leant(self.base.moment_roots(k, largest=largest), self.spread.root_errors)

    def _leant(self, numbers: FloatArray, by: FloatArray) -> FloatArray:
        leant: FloatArray = np.maximum(numbers + self.sign * by, 0.0)
        return leant

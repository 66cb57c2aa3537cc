"""The contract of a bound on the number of samples that identifying the best policy takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.configured import C
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import JsonObject

Constraint = Literal["generative", "navigation"]


@attrs.frozen(kw_only=True, eq=False)
class BoundSolution:
    """A bound minimised over the allocations.

    Attributes:
        value: the least value of the bound; ``inf`` where the instance admits none.
        allocation: float64 [S, A], a distribution that attains ``value``; None if infinite.
        status: ``"optimal"``, ``"infinite"``, or the solver's own word for less than optimal.
        relative_gap: certified (value - lower bound) / value, 0 or more; NaN if not certified.
        residual: largest violation of the navigation constraints, 0 for generative; measured by
            whoever asks a bound, and refused where it is far more than this says.
        solver: name and version of what computed it.
        reason: why the value is infinite or the status not optimal, else empty.
        details: further numbers of the method, such as the count of linear programmes.
    """

    value: float
    allocation: npt.NDArray[np.float64] | None
    status: str
    relative_gap: float
    residual: float
    solver: str
    reason: str = ""
    details: JsonObject = attrs.field(factory=dict)


class Bound(ABC, Generic[C]):
    """An upper or lower bound on the characteristic time, a function of the allocation.

    Built by ``factory(discount, config)``.

    Attributes:
        discount: gamma, in (0, 1).
        config: the bound's parameters.
    """

    def __init__(self, discount: float, config: C) -> None:
        self.discount = discount
        self.config = config

    @abstractmethod
    def evaluate(self, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
        """Value of the bound at ``allocation`` [S, A]; ``inf`` where it is not finite."""

    @abstractmethod
    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Minimise over allocations.

        Args:
            mdp: the instance.
            constraint: ``"generative"``: any distribution over state-action pairs (a simulator
                can be asked for any pair); ``"navigation"``: those that a walk can follow,
                sum_a w(s, a) = sum_{s', a'} P(s | s', a') w(s', a').

        Raises:
            SolverError: when no solution passes its own checks.
        """

"""The upper bound U0 of Al Marjani & Proutiere (2021) on the characteristic time.

    U0(w) = max over sub-optimal (s, a) of H0(s, a) / w(s, a)  +  max over s of H0* / w(s, pi*(s)),

    H0(s, a) = 2/D^2 + max(16 Var/D^2, 6 (MD/D)^(4/3)),
    H0*      = 2/x^2 + min(27/(x^2 (1-g)), max(16 Var*/x^2, 6 (MD*/x)^(4/3))),   x = Dmin (1-g),

with D the gap, Var and MD the variance and the span of V* at the next state, g the discount, and
Var*, MD* the largest ones of the pairs (s, pi*(s)).
"""

from __future__ import annotations

import attrs

from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import QuantitiesBound, SolverConfig
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.planned import Quantities


@attrs.frozen(kw_only=True)
class Config(SolverConfig):
    """Parameters of the solver; the bound itself has none."""


class U0(QuantitiesBound[Config]):
    """The bound of this module; see the head of it."""

    config: Config
    covers = "confusing models with any successors, up to the term of 27, not proved here again"

    def coefficients(self, of: Quantities) -> Coefficients:
        """Coefficients from the quantities of an instance."""
        return planned.u0(of)

"""The upper bound U_k: that of Russo & Proutiere (2023, Theorem 3.2) with one k for all pairs.

    U_k(w) = max over sub-optimal (s, a) of  (2 + 8 phi^2 m(s, a)) / (w(s, a) D^2) + K(w) / D^2,

    K(w) = max over s of  C(s) (1+g)^2 / (w(s, pi*(s)) (1-g)^2),
    m(s, a) = (M^k_sa)^(2^(1-k)),   C(s) = max(4, 16 g^2 phi^2 m(s, pi*(s))),

with D the gap, M^k_sa = E[(V*(s') - E V*)^(2^k)], phi the golden ratio and g the discount. For
k = 1, m is the variance of V* at the next state.
"""

from __future__ import annotations

import attrs

from mfbpi_core.contracts.parameters import parameter
from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import QuantitiesBound, SolverConfig
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.planned import Quantities


@attrs.frozen(kw_only=True)
class Config(SolverConfig):
    """Parameters."""

    k: int = parameter(
        1,
        "order of the moment, of exponent 2^k",
        ge=1,
        le=40,
        source="Russo & Proutiere 2023, numerical experiments",
    )


class UK(QuantitiesBound[Config]):
    """The bound of this module; see the head of it."""

    config: Config
    covers = "none: a single moment bounds no class of confusing models"
    convex = True

    def coefficients(self, of: Quantities) -> Coefficients:
        """Coefficients from the quantities of an instance."""
        return planned.u_k(of, self.config.k)

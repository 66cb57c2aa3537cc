"""The upper bound U of Russo & Proutiere (2023, Theorem 3.2) on the characteristic time.

    U(w) = max over sub-optimal (s, a) of  (2 + 8 phi^2 m(s, a)) / (w(s, a) D^2) + K(w) / D^2,

    K(w) = max over s of  C(s) (1+g)^2 / (w(s, pi*(s)) (1-g)^2),
    m(s, a) = sup over k of (M^k_sa)^(2^(1-k)),   C(s) = max(4, 16 g^2 phi^2 m(s, pi*(s))),

with D the gap, M^k_sa = E[(V*(s') - E V*)^(2^k)], phi the golden ratio and g the discount.
"""

from __future__ import annotations

import attrs

from mfbpi_lib_bounds import planned
from mfbpi_lib_bounds.bound import MomentsConfig, QuantitiesBound
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.planned import Quantities


@attrs.frozen(kw_only=True)
class Config(MomentsConfig):
    """Parameters."""


class U(QuantitiesBound[Config]):
    """The bound of this module; see the head of it."""

    config: Config
    covers = "confusing models without new successors"
    convex = True

    def coefficients(self, of: Quantities) -> Coefficients:
        """Coefficients from the quantities of an instance."""
        return planned.u(of, self.config.k_max)

"""The relaxed upper bound U~ of Russo & Proutiere (2023): its generative optimum is a formula.

    U~(w) = max over sub-optimal (s, a) of H(s, a) / w(s, a)  +  max over s of H / w(s, pi*(s)),

    H(s, a) = (2 + 8 phi^2 m(s, a)) / D^2,   H = max over s of C(s) (1+g)^2 / (Dmin^2 (1-g)^2),

least for w(s, a) in proportion to H(s, a) and w(s, pi*(s)) to sqrt(H sum H(s, a) / S), with the
value (sqrt(sum H(s, a)) + sqrt(S H))^2. The exact solver finds it without being told.
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


class UTilde(QuantitiesBound[Config]):
    """The bound of this module; see the head of it."""

    config: Config
    covers = "confusing models without new successors"
    convex = True

    def coefficients(self, of: Quantities) -> Coefficients:
        """Coefficients from the quantities of an instance."""
        return planned.u_tilde(of, self.config.k_max)

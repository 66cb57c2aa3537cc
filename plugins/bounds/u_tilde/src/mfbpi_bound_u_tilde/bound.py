"""The relaxed upper bound U~ of Russo & Proutiere (2023): its generative optimum is a formula.

    U~(w) = max over sub-optimal (s, a) of H(s, a) / w(s, a)  +  max over s of H / w(s, pi*(s)),

    H(s, a) = (2 + 8 phi^2 m(s, a)) / D^2,   H = max over s of C(s) (1+g)^2 / (Dmin^2 (1-g)^2),

least for w(s, a) in proportion to H(s, a) and w(s, pi*(s)) to sqrt(H sum H(s, a) / S), with the
value (sqrt(sum H(s, a)) + sqrt(S H))^2. The exact solver finds it without being told.
"""

from __future__ import annotations

import attrs

from mfbpi_core.config import parameter
from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.bound import SolverConfig, TabularBound
from mfbpi_lib_bounds.instance import Instance
from mfbpi_lib_tabular import moments


@attrs.frozen(kw_only=True)
class Config(SolverConfig):
    """Parameters."""

    k_max: int = parameter(
        moments.K_MAX,
        "largest k of the supremum over moments; 1: the variance alone",
        ge=1,
        le=40,
        source="Russo & Proutiere 2023, numerical experiments",
    )


class UTilde(TabularBound):
    """The bound of this module; see the head of it."""

    config: Config

    def coefficients(self, instance: Instance) -> coefficients.Coefficients:
        """Coefficients of the instance."""
        return coefficients.u_tilde(
            instance.separation.gaps,
            instance.largest_moment_terms(self.config.k_max),
            instance.plan.policy,
            self.discount,
            instance.acting,
        )

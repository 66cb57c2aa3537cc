"""MDP-NaS: follow the optimal allocation of a bound on the empirical model.

The model is the empirical one with an imagined transition from each pair to each state,

    P(s'|s, a) = (N(s, a, s') + 1) / (N(s, a) + S),    r(s, a) = mean reward, 0 if never visited,

planned exactly. The allocation is the one of least U0 on it that a walk can follow, see
:mod:`mfbpi_lib_tracking.agent`. The recommendation is the optimal policy of the empirical model,
without imagined transitions or with them.

Sources: Al Marjani, Garivier & Proutiere 2021, "Navigating to the best policy in Markov decision
processes"; parameters of Russo & Proutiere 2023, appendix. Deviations are listed in this
package's README.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import bound_parameter, parameter
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.posterior import Estimate
from mfbpi_lib_tabular.solution.planning import Plan
from mfbpi_lib_tracking.agent import exploration_parameter, gap_floor_parameter
from mfbpi_lib_tracking.following import BoundFollowingAgent

RULES = ("empirical", "smoothed")


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of MDP-NaS; the defaults are those of the paper's experiments."""

    bound: str = bound_parameter(
        "u0",
        "the bound whose allocation is followed",
        passes={"k_max": "k_max"},
        source="appendix",
    )
    smoothing: float = parameter(
        1.0, "imagined transitions from each pair to each state", gt=0, source="appendix"
    )
    recommendation: str = parameter(
        "empirical",
        "whose optimal policy: of the plain empirical model, or smoothed",
        choices=RULES,
    )
    min_exploration: float = exploration_parameter()
    gap_floor: float = gap_floor_parameter()
    k_max: int = parameter(
        19, "largest k of the moments, for bound=u", ge=1, le=19, source="section 3"
    )


class MDPNaS(BoundFollowingAgent[Config]):
    """MDP-NaS for integer states; see the module for the algorithm."""

    def estimated(self) -> tuple[Estimate, Plan]:
        """The smoothed empirical model and its plan."""
        config = self.config
        model = posterior.smoothed(self.state.counts, config.smoothing)
        plan = self.plan(model)
        self.state.policy[:] = plan.policy
        return model, plan

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S], by the rule of the configuration."""
        counts = self.state.counts
        if self.config.recommendation == "smoothed":
            model = posterior.smoothed(counts, self.config.smoothing)
        else:
            model = posterior.empirical(counts, self.problem.reward_range[0])
        return self.plan(model).policy.astype(np.int64)

"""PS-MDP-NaS: follow the optimal allocation of a bound on a model drawn from the posterior.

The posterior is a Dirichlet for the transitions of each pair and a Beta for its reward, see
:func:`mfbpi_lib_tabular.learning.posterior.draw`. On each draw the allocation of least U is found
that a walk can follow, see :mod:`mfbpi_lib_tracking.agent`; followed is a running average of these,
without which one draw that takes some state for settled blocks the way through it until the next.
The recommendation is the optimal policy of the empirical model, or of the posterior mean.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", section 5
and appendix. Deviations are listed in this package's README.
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

RULES = ("empirical", "mean")


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of PS-MDP-NaS."""

    bound: str = bound_parameter(
        "u",
        "the bound whose allocation is followed",
        passes={"k_max": "k_max"},
        source="section 5",
    )
    prior: float = parameter(
        1.0, "weight of each next state in the Dirichlet prior", ge=1e-2, source="uniform"
    )
    newest_weight: float = parameter(
        0.2,
        "weight of the newest draw's allocation in a running average; 1 follows it alone",
        gt=0,
        le=1,
        source="averaging: Al Marjani et al. 2021, C-navigation",
    )
    recommendation: str = parameter(
        "empirical", "whose optimal policy: of the empirical model, or the mean", choices=RULES
    )
    min_exploration: float = exploration_parameter()
    gap_floor: float = gap_floor_parameter()
    k_max: int = parameter(
        19, "largest k of the moments, for bound=u", ge=1, le=19, source="section 3"
    )


class PSMDPNaS(BoundFollowingAgent[Config]):
    """PS-MDP-NaS for integer states; see the module for the algorithm."""

    @property
    def newest_weight(self) -> float:
        """Weight of the newest draw's allocation in the running average."""
        return self.config.newest_weight

    def estimated(self) -> tuple[Estimate, Plan]:
        """A model drawn from the posterior, and its plan."""
        config, problem = self.config, self.problem
        model = posterior.draw(self.state.counts, config.prior, problem.reward_range, self.rng)
        plan = self.plan(model)
        self.state.policy[:] = plan.policy
        # Draws have so little in common that a start at the last solution takes longer than none.
        self.state.warm.known[0] = False
        return model, plan

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S], by the rule of the configuration."""
        counts, problem = self.state.counts, self.problem
        if self.config.recommendation == "mean":
            model = posterior.posterior_mean(counts, self.config.prior, problem.reward_range)
        else:
            model = posterior.empirical(counts, problem.reward_range[0])
        return self.plan(model).policy.astype(np.int64)

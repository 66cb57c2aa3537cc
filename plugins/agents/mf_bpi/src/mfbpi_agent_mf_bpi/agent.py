"""MF-BPI: explore by the allocation that a bootstrapped bound calls for, without a model.

An ensemble of B pairs (Q_b, M_b) estimates Q* and the moments of V* at the next state. At each
step a level xi ~ U(0, 1) is drawn, the xi-quantiles (Q, M) over the ensemble are plugged into the
closed-form allocation of the bound, and the action in s_t is drawn from it, mixed with uniform
exploration of probability eps = max(1e-3, 1 / N(s_t)).

With phi the golden ratio, D(s, a) = max_b Q(s, b) - Q(s, a) and m = M^(2^(1 - k)):

    H(s, a)   = (2 + 8 phi^2 m(s, a)) / D(s, a)^2                      for sub-optimal a
    H         = max(4, 16 gamma^2 phi^2 max_s m(s, pi*(s))) (1 + gamma)^2 / (D_min^2 (1 - gamma)^2)
    w(s, a)   ~ H(s, a),    w(s, pi*(s)) ~ sqrt(H sum_{s, a} H(s, a) / S)

After (s, a, r, s'), with n = N(s, a), each member is updated with probability p:

    alpha = (H_eff + 1) / (H_eff + n),   beta = alpha^1.1,   H_eff = 1 / (1 - gamma)
    Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))
    M(s, a) += beta (((r + gamma max_b Q(s', b) - Q(s, a)) / gamma)^(2^k) - M(s, a)),  new Q

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", section
4 and the appendix on MF-BPI. Deviations are listed in this package's README.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_agent_mf_bpi.ensemble import Ensemble
from mfbpi_agent_mf_bpi.recommendation import RULES, recommend
from mfbpi_agent_mf_bpi.rules import Constants, State, learn, rollout, select, weigh
from mfbpi_core import Problem, Transition, parameter
from mfbpi_core.data.problem import Observation
from mfbpi_lib_tabular.learning.agent import CompiledAgent
from mfbpi_lib_tabular.learning.saved import Limits


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of MF-BPI; the defaults are those of the paper's tabular experiments."""

    ensemble_size: int = parameter(
        50, "members B; 1 explores by force alone, without bootstrap", ge=1, source="appendix"
    )
    update_probability: float = parameter(
        0.7, "probability p that a member learns from a step", gt=0, le=1, source="appendix"
    )
    k: int = parameter(1, "order of the moment: M estimates the 2^k-th", ge=1, le=6)
    gap_offset: float = parameter(
        0.0, "lambda, added to every gap", ge=0, source="algorithm 1: lambda"
    )
    gap_floor: float = parameter(1e-8, "least gap, so that ties stay finite", gt=0)
    min_exploration: float = parameter(
        1e-3, "least probability of a uniform action; 0 for none", ge=0, le=1, source="appendix"
    )
    recommendation: str = parameter(
        "q_learner",
        "who recommends: a Q-learner on all the data, or the mode, median or mean of the members",
        choices=RULES,
        source="section 4 says mode; the published figures evaluate a Q-learner",
    )


class MFBPI(CompiledAgent[Config]):
    """MF-BPI for integer states; see the module for the algorithm."""

    n_uniforms = 2
    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.min_exploration = config.min_exploration
        self.state = _initial_state(problem, config, rng)

    def limits(self, name: str) -> Limits | None:
        """Members of the ensemble are counted from 0, see :meth:`CompiledAgent.limits`."""
        if name.endswith(".order"):
            return 0, self.config.ensemble_size - 1
        return super().limits(name)

    def update(self, transition: Transition) -> None:
        """Learning rule, of the members chosen by chance."""
        step = self.given.step(transition)  # before anything is drawn
        share, chosen = self.state.constants.update_probability, self.state.chosen
        if share < 1.0:
            chosen[:] = self.rng.random(chosen.size) < share
        self.learn(self.state, *step)

    def recommend(self, observation: Observation) -> int:
        """The action recommended in one state, by the rule of the configuration."""
        s = self.given.state(observation)
        return int(self._recommend(slice(s, s + 1))[0])

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S]."""
        return self._recommend(slice(None))

    def _recommend(self, states: slice) -> npt.NDArray[np.int64]:
        return recommend(
            self.config.recommendation, self.state.learner[states], self.state.q.heads[states]
        )

    @property
    def allocation(self) -> npt.NDArray[np.float64]:
        """The allocation [S, A] at the median of the ensemble, a distribution over pairs."""
        weights = np.empty_like(self.state.weights)
        best = np.empty_like(self.state.best)
        scratch = self.state._replace(
            quantile_q=np.empty_like(weights),
            quantile_m=np.empty_like(weights),
            weights=weights,
            best=best,
        )
        optimal_weight = weigh(scratch, 0.5)
        weights[np.arange(best.size), best] = optimal_weight
        if not weights.any():  # a single action: nothing to learn, here as good as elsewhere
            weights[:] = 1.0
        return weights / weights.sum()


def _initial_state(problem: Problem, config: Config, rng: np.random.Generator) -> State:
    assert problem.n_states is not None  # the spec needs "states"
    table = (problem.n_states, problem.n_actions)
    shape = (*table, config.ensemble_size)
    effective_horizon = problem.effective_horizon
    return State(
        constants=_constants(problem, config),
        q=Ensemble.spread(shape, effective_horizon, rng),
        m=Ensemble.spread(shape, effective_horizon ** (2**config.k), rng),
        learner=np.zeros(table),
        visits=np.zeros(table, dtype=np.int64),
        quantile_q=np.zeros(table),
        quantile_m=np.zeros(table),
        weights=np.zeros(table),
        best=np.zeros(problem.n_states, dtype=np.int64),
        chosen=np.ones(config.ensemble_size, dtype=np.bool_),
        scratch=np.zeros(config.ensemble_size),
    )


def _constants(problem: Problem, config: Config) -> Constants:
    # A single member that learns from a part of the steps only would waste the others.
    alone = config.ensemble_size == 1
    return Constants(
        discount=problem.discount,
        effective_horizon=problem.effective_horizon,
        k=config.k,
        update_probability=1.0 if alone else config.update_probability,
        gap_offset=config.gap_offset,
        gap_floor=config.gap_floor,
        min_exploration=config.min_exploration,
        scale=1.0 / problem.reward_unit,
    )

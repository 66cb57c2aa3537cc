"""FW-BPI: explore where it narrows the confidence sets that keep the policy from being certified.

The certificate (:mod:`mfbpi_lib_confidence.kl_box`) needs, for every action a other than the
policy's, an advantage that is certainly negative. Its width is a sum over pairs: that of (s, a)
itself, and those of the policy's own pairs, weighed by how much they matter to the advantage. One
step of Frank and Wolfe's method on these margins: a reward for each pair, how fast one more visit
narrows what is widest, and the policy that collects most of it. Every max(10, 0.02 t) steps:

    P, r, n = empirical model;    pi, V, gap by policy iteration;    G = (I - gamma P_pi)^-1
    kappa_i = gamma P_i G - G[s]                      for every pair i = (s, a), a != pi(s)
    alpha_j, beta_j: the width W_j = alpha_j n_j^(-1/2) + beta_j / n_j of each pair (`widths`)
    c_ij = 1 at j = i,  |kappa_i(z)| at j = (z, pi(z))
    U_i = sum_j c_ij W_j,   d_i = max(gap_i, U_i / 2),   f_i = U_i / d_i
    lambda_i = (f_i / max f)^10 / d_i
    reward_j = sum_i lambda_i c_ij (alpha_j n_j^(-3/2) / 2 + beta_j n_j^(-2))
    mu = optimal policy for reward / max reward, in P~ = (N + 1/S) / (n + 1), discount 1 - 1/(30 S)

Actions are uniform with probability 0.05, else mu(s). The recommendation is the optimal policy of
the empirical model. beta brings the optimism, U_i / 2 caps near-ties, and P~ makes unseen states
look reachable, so that there is no phase of its own for exploration. There is no proof that these
sample sizes are the least possible. Deviations and choices are listed in this package's README.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_agent_fw_bpi.objective import intrinsic_rewards
from mfbpi_agent_fw_bpi.widths import Units
from mfbpi_core import Problem, parameter
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.agent import ReplanningAgent
from mfbpi_lib_tabular.learning.exploration import draw_uniform
from mfbpi_lib_tabular.learning.posterior import Counts, Estimate, count
from mfbpi_lib_tabular.learning.schedules import Schedule, tick
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tabular.solution.planning import Plan, solve_arrays

#: Visits that double nothing: solving is due by the clock alone.
BY_THE_CLOCK = -1

MEASURED = "measured on RiverSwim, Garnet and Dirichlet instances"


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of FW-BPI."""

    delta: float = parameter(0.1, "risk of the certificate explored for", gt=0, lt=1)
    exploration: float = parameter(
        0.05, "probability of a uniform action", ge=0, le=1, source=MEASURED
    )
    min_period: int = parameter(10, "least steps between solutions", ge=1, source=MEASURED)
    growth: float = parameter(
        0.02, "steps between solutions, as a share of all so far", gt=0, le=1, source=MEASURED
    )
    sharpness: float = parameter(
        10.0,
        "power of f_i / max f: how much the widest margins count",
        ge=0,
        le=100,
        source=MEASURED,
    )
    tie_share: float = parameter(
        0.5, "gaps below this share of U_i are taken for it", gt=0, le=10, source=MEASURED
    )
    least_visits: float = parameter(
        0.5, "visits of a pair never visited", gt=0, le=1, source=MEASURED
    )
    unseen_floor: float = parameter(
        0.1, "least width of such a pair, in units of the reward range", gt=0, source=MEASURED
    )
    smoothing: float = parameter(
        1.0, "imagined transitions of each pair, to all states alike", gt=0, source=MEASURED
    )
    lookahead: float = parameter(
        30.0, "effective horizon of exploration, in steps for each state", gt=1, source=MEASURED
    )


class State(NamedTuple):
    """What the compiled rules read and write."""

    exploration: float
    counts: Counts
    schedule: Schedule
    policy: npt.NDArray[np.int64]  # [S], pi, where planning starts next
    explorer: npt.NDArray[np.int64]  # [S], mu
    ended: npt.NDArray[np.int64]  # [S], how often the task ended in a state


@leaf
def select(state: State, s: int, u: float) -> int:
    """Sampling rule: mu, or now and then any action, which the same number then draws."""
    a, n_actions, exploration = state.explorer[s], state.counts.visits.shape[1], state.exploration
    if u < exploration:
        a = draw_uniform(n_actions, u / exploration)
    return a


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: count."""
    state.ended[s2] += int(terminated)
    count(state.counts, s, a, r, s2, terminated)
    tick(state.schedule, s, a, BY_THE_CLOCK)


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    start: int,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> int:
    """Fill a chunk from step ``start`` until solving is due; the first step left out."""
    for t in range(start, chunk.actions.size):
        if state.schedule.due[0]:
            return t
        s = dynamics.state[0]
        a = select(state, s, rng.random())
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())
    return chunk.actions.size


class FWBPI(ReplanningAgent[Config]):
    """FW-BPI for integer states; see the module for the algorithm."""

    n_uniforms = 1
    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        assert problem.n_states is not None  # the spec needs "states"
        n_states, n_actions = problem.n_states, problem.n_actions
        low, high = problem.reward_range
        self.units = Units(
            discount=problem.discount,
            low=low,
            span=high - low,
            x=math.log(2.0 * n_states * n_actions / config.delta),
            least_visits=config.least_visits,
            unseen_floor=config.unseen_floor,
        )
        self.state = State(
            exploration=config.exploration,
            counts=Counts.empty(n_states, n_actions),
            schedule=Schedule.start(n_states, n_actions),
            policy=np.zeros(n_states, dtype=np.int64),
            explorer=np.zeros(n_states, dtype=np.int64),
            ended=np.zeros(n_states, dtype=np.int64),
        )

    def solve(self) -> int:
        """Choose the policy mu that collects most of the intrinsic reward."""
        counts, config, known = self.state.counts, self.config, self._empirical()
        plan = self._plan(known)
        self.state.policy[:] = plan.policy
        rewards = intrinsic_rewards(
            counts,
            known,
            plan,
            self.live,
            self.units,
            sharpness=config.sharpness,
            tie_share=config.tie_share,
        )
        n_states = len(rewards)
        model = posterior.smoothed(counts, config.smoothing / n_states)
        walk = posterior.walk(model, counts.starts).reshape(model.transitions.shape)
        patience = 1.0 - 1.0 / (config.lookahead * n_states)
        self.state.explorer[:] = solve_arrays(walk, rewards, patience, self.state.explorer).policy
        return max(config.min_period, math.floor(config.growth * self.schedule.clock[0]))

    @property
    def live(self) -> npt.NDArray[np.bool_]:
        """States at which something is, or may be, decided: all but those that end the task."""
        return (self.state.ended == 0) | self.visits.any(axis=1)

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The optimal policy of the empirical model, int64 [S]; planning starts from the last."""
        return self._plan(self._empirical()).policy.astype(np.int64)

    def _plan(self, model: Estimate) -> Plan:
        return solve_arrays(
            model.transitions, model.rewards, self.problem.discount, self.state.policy
        )

    def _empirical(self) -> Estimate:
        return posterior.empirical(self.state.counts, self.problem.reward_range[0])

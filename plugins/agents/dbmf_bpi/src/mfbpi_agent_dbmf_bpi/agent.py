"""DBMF-BPI: deep exploration by the allocation that a bootstrapped bound calls for.

An ensemble of B pairs (Q_b, M_b), each a network plus a fixed random prior, estimates Q* and the
2^k-th moments of V* at the next state. A level xi ~ U(level_low, 1), level_low = 0 in the paper, is
drawn at the end of every episode and every H = 1 / (1 - gamma) steps. In s_t the xi-quantiles over
the ensemble of Q(s_t, .) and M(s_t, .) are plugged into the closed-form allocation (see
``allocation``), and the action is drawn from it, mixed with uniform exploration of probability
eps_t = 10 / (10 + t).

After each step, on a batch (s, a, r, s') with fresh masks, with targets from the target copies Q':

    Q_b(s, a) -> r + gamma Q'_b(s', argmax_a' Q_b(s', a'))
    M_b(s, a) -> ((r + gamma max_a' Q'_b(s', a') - Q'_b(s, a)) / gamma)^(2^k)
    D_min     <- D_min + (H + 1) / (H + t) (g - D_min)

with g the smallest positive gap between the two best actions at s', over batch and members. After
termination what follows is worth zero, and has no gap. The networks of M and their
priors end in a ReLU. The mode of the members' greedy actions recommends.

Source: Russo & Proutiere 2023, section 4 and appendix. The paper prints the target of M without
the discount before the maximum, a misprint.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from mfbpi_agent_dbmf_bpi.allocation import Allocation, quantile
from mfbpi_agent_dbmf_bpi.compiled import (
    PairUpdate,
    hold_pairs,
    learn_pairs,
    learn_values_alone,
    moment_space,
)
from mfbpi_agent_dbmf_bpi.config import Config
from mfbpi_core.data import sampling
from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Arrays, Batch
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.replica import CompiledReplica
from mfbpi_lib_torch.kernels.values import Rule, check_sizes
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import Bootstrapped, Estimates, spread, taken
from mfbpi_lib_torch.learning.learner import Values
from mfbpi_lib_torch.learning.replicas import DeepReplicas
from mfbpi_lib_torch.networks.layers import through_relu
from mfbpi_lib_torch.networks.losses import regression
from mfbpi_lib_torch.stateful import NOT_NEGATIVE


class QuantileLane(Lane):
    """A replica that acts by quantiles over the ensemble.

    Attributes:
        level: of the quantiles, for the time being.
        smallest_gap: D_min.
    """

    saved: ClassVar[tuple[str, ...]] = (*Lane.saved, "level", "smallest_gap")

    def __init__(self, rng: np.random.Generator, replay: Replay, initial_gap: float) -> None:
        super().__init__(rng, replay)
        self.level = 0.0
        self.smallest_gap = initial_gap

    def ranges(self) -> dict[str, tuple[float, float]]:
        """A level of a quantile, and a gap."""
        return {**super().ranges(), "level": (0.0, 1.0), "smallest_gap": NOT_NEGATIVE}


class DBMFBPILearner(Bootstrapped[QuantileLane, Config]):
    """DBMF-BPI for several replicas."""

    double = True
    target_at_both = True
    magnitudes = (*Bootstrapped.magnitudes, "k")

    parts_of_learning: ClassVar[tuple[str, ...]] = (
        *Bootstrapped.parts_of_learning,
        "moment_target",
        "_learn_moments",
        "_learn_smallest_gap",
    )

    def build(self) -> None:
        """The ensembles of values and moments, their priors, and the rule."""
        super().build()
        self.learns_moments = self.config.moments == "learned"
        if self.learns_moments:
            self.m = self.network(self.sizes(), self.config.learning_rate, target=False)
            self.prior("m", rectified=True, at_next=False)
        self.allocation = self._allocation()
        self.period = round(self.problem.effective_horizon)

    def _allocation(self) -> Allocation:
        problem, config = self.problem, self.config
        size = math.prod(problem.observation_shape)
        published = 2.0 / (size * (1.0 - problem.discount))
        return Allocation(
            discount=problem.discount,
            k=config.k,
            gap_offset=config.gap_offset,
            gap_floor=config.gap_floor,
            sum_factor=published if config.optimal_weight == "published" else 1.0,
        )

    def values(self, encoded: Array, priors: Arrays) -> Values:
        """Q and, where it is learned, M of every member."""
        if not self.learns_moments:
            return super().values(encoded, priors)
        m = np.maximum(self.m.act(encoded), np.float32(0.0))
        if "m" in priors:
            m = m + priors["m"].reshape(m.shape)
        return {**super().values(encoded, priors), "m": self.present(m)}

    def lane(self, rng: np.random.Generator, replay: Replay) -> QuantileLane:
        """A replica that knows nothing of the smallest gap."""
        return QuantileLane(rng, replay, self.config.initial_gap)

    def renew(self, lane: QuantileLane) -> None:
        """Draw the level of the quantiles."""
        low = self.config.level_low
        lane.level = low + (1.0 - low) * lane.rng.random()

    def renewal_is_due(self, lane: QuantileLane) -> bool:
        """Every H steps."""
        return lane.steps % self.period == 0

    def choose(self, lane: QuantileLane, values: Values) -> int:
        """Draw from the allocation at the quantiles."""
        q = quantile(values["q"], lane.level)
        m = quantile(values["m"], lane.level) if "m" in values else np.zeros(q.size)
        return sampling.draw(self.allocation(q, m, lane.smallest_gap), lane.rng.random())

    def recommended(self, values: Values) -> int:
        """The action that most members find best."""
        votes = np.bincount(values["q"].argmax(axis=1), minlength=self.problem.n_actions)
        return int(votes.argmax())

    def learn(self, batch: Batch) -> None:
        """One step of both ensembles and of the smallest gap."""
        q = self.estimates(batch)
        target = self.target(batch, q)
        moments = self.moment_target(batch, q) if self.learns_moments else None
        self.learn_values(batch, q, target)
        if moments is not None:
            self._learn_moments(batch, moments)
        self._learn_smallest_gap(batch, q)

    def learn_compiled(self, replica: CompiledReplica) -> None:
        """The same step of one replica."""
        step = self.q.step + 1
        if self.learns_moments:
            gap = learn_pairs(replica.held(self.pair_update, hold_pairs), step)
        else:
            gap = learn_values_alone(replica.held(self.value_update), step)
        self._approach(self.lanes[replica.number], gap)

    def rule(self) -> Rule:
        """How the values learn: every member is needed at every s', for the smallest gap."""
        return super().rule()._replace(everywhere=True)

    def pair_update(self, replica: CompiledReplica) -> PairUpdate:
        """What compiled functions take to update both ensembles."""
        net, prior = replica.net(self.m), replica.prior("m")
        check_sizes(net, replica.batch, prior, self.problem.n_actions)
        return PairUpdate(
            values=self.value_update(replica),
            net=net,
            prior=prior,
            space=replica.space(moment_space, self.m),
            k=self.config.k,
            discount=self.problem.discount,
        )

    def moment_target(self, batch: Batch, q: Estimates) -> torch.Tensor:
        """The target of M, float32 [R, B, n]."""
        following = q.target_following.amax(2)
        deviation = torch.addcmul(batch.rewards, batch.discounts, following)
        deviation.sub_(taken(q.target_now, batch.actions)).div_(self.problem.discount)
        for _ in range(self.config.k):
            deviation.square_()
        return deviation

    def _learn_moments(self, batch: Batch, target: torch.Tensor) -> None:
        self.m.open(batch.now)
        seen = self.m.online()
        network = taken(self.by_replica(seen.out), batch.actions)
        prediction = network.relu()
        if "m" in batch.priors:
            prior = taken(self.by_replica(batch.priors["m"]), batch.actions)
            prediction = prediction + prior
        derivative = regression(prediction, target, batch.mask, self.rule().loss)
        derivative = through_relu(derivative, network)
        self.m.learn(seen, spread(derivative, batch.actions, self.problem.n_actions))

    def _learn_smallest_gap(self, batch: Batch, q: Estimates) -> None:
        for lane, gap in zip(self.lanes, smallest_gaps(q.following, batch.discounts), strict=True):
            self._approach(lane, gap)

    def _approach(self, lane: QuantileLane, gap: float) -> None:
        """A step of the stochastic approximation of the smallest gap."""
        effective_horizon, t = self.problem.effective_horizon, self.updates + 1
        if math.isfinite(gap):
            rate = (effective_horizon + 1.0) / (effective_horizon + t)
            lane.smallest_gap += rate * (gap - lane.smallest_gap)


def smallest_gaps(q: torch.Tensor, discounts: torch.Tensor) -> list[float]:
    """The smallest positive gap between the two best actions, for each replica.

    Args:
        q: float32 [R, B, A, n].
        discounts: float32 [R, 1, n]; where 0, nothing follows and gaps do not count.

    Returns:
        R numbers; infinity where no gap is positive.
    """
    if q.shape[2] == 1:
        return [math.inf] * q.shape[0]
    if q.shape[2] == 2:
        gaps = (q[:, :, 0] - q[:, :, 1]).abs_()
    else:
        # Twice as fast as topk: the maximum, and the maximum without it.
        best, index = q.max(2, keepdim=True)
        gaps = best.squeeze(2) - q.scatter(2, index, -math.inf).amax(2)
    counts = (gaps > 0.0) & (discounts > 0.0)
    gaps.masked_fill_(~counts, math.inf)
    smallest: list[float] = gaps.flatten(1).amin(1).tolist()
    return smallest


class DBMFBPI(DeepAgent):
    """DBMF-BPI; see the module for the algorithm."""

    learner_type = DBMFBPILearner


class DBMFBPIReplicas(DeepReplicas):
    """Several of them, learning at once."""

    learner_type = DBMFBPILearner

"""IDS: information-directed sampling, with a bootstrapped ensemble and a quantile network.

In s_t, with mu(a) and sigma(a) the mean and standard deviation of Q_b(s_t, a) over the members and
var(a) the variance over the quantiles of the return, act by the smallest D(a)^2 / I(a):

    D(a)     = max_b (mu(b) + 5 sigma(b)) - (mu(a) - 5 sigma(a))
    rho^2(a) = max(c, var(a) / (1e-5 + mean over b of var(b)))
    I(a)     = log(1 + sigma^2(a) / rho^2(a)) + 1e-5

mixed with uniform exploration of probability 10 / (10 + t). The ensemble learns as bootstrapped
double DQN; the quantile network by the quantile Huber loss towards r + gamma Z(s', a'), a' the
action of largest mean, with targets from itself. The mean over the members recommends. Settings of
the published code that the paper does not state are parameters: ``exploration_clock``,
``loss_divisor``, ``time_limit``.

Source: Nikolov et al. 2019, "Information-directed exploration for deep reinforcement learning";
parameters of Russo & Proutiere 2023, appendix. The quantile network has two hidden layers, like
every network here.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_agent_ids.compiled import (
    QuantileUpdate,
    check_levels,
    hold_quantiles,
    learn_quantiles,
    quantile_space,
)
from mfbpi_agent_ids.config import Config
from mfbpi_core import Transition
from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.device import as_array, as_tensor, placed
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Arrays, Batch
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.replica import CompiledReplica
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import Bootstrapped
from mfbpi_lib_torch.learning.learner import Values
from mfbpi_lib_torch.learning.replicas import DeepReplicas
from mfbpi_lib_torch.networks.losses import quantile_huber

#: Keeps variances and information away from zero.
TINY = 1e-5


class IDSLearner(Bootstrapped[Lane, Config]):
    """IDS for several replicas."""

    double = True

    def build(self) -> None:
        """The ensemble and the quantile network, one member of n_actions x quantiles outputs."""
        config, n_actions = self.config, self.problem.n_actions
        self.q = self.network(self.sizes(), config.learning_rate, config.gain)
        self.prior("q")
        self.z = self.network(
            self.sizes(members=1, outputs=n_actions * config.quantiles),
            config.quantile_learning_rate,
            config.quantile_gain,
            target=False,
        )
        levels = (np.arange(config.quantiles, dtype=np.float32) + 0.5) / config.quantiles
        self.levels = placed(levels.astype(np.float32), self.device)

    def lane(self, rng: np.random.Generator, replay: Replay) -> Lane:
        """A replica; nothing is drawn for an episode."""
        return Lane(rng, replay)

    def values(self, encoded: Array, priors: Arrays) -> Values:
        """Q of every member, and the quantiles [A, quantiles] in the place of members."""
        z = self.z.act(encoded).reshape(-1, self.config.quantiles)
        return {**super().values(encoded, priors), "z": self.present(z)}

    def choose(self, lane: Lane, values: Values) -> int:  # noqa: ARG002 - nothing is drawn
        """The action of smallest squared regret over information; the first of equals."""
        config = self.config
        ratio = information_ratio(values["q"], values["z"], config.optimism, config.least_noise)
        return int(ratio.argmin())

    def clock(self, lane: Lane) -> int:
        """The time t of the exploration, as configured."""
        if self.config.exploration_clock == "updates":
            return self.updates + 1
        return super().clock(lane)

    @property
    def loss_divisor(self) -> float:
        """As configured."""
        return self.config.loss_divisor

    def update(self, transitions: Sequence[Transition]) -> None:
        """Learning rule; a time limit ends an episode as configured."""
        if self.config.time_limit == "terminal":
            transitions = [
                attrs.evolve(t, terminated=t.terminated or t.truncated) for t in transitions
            ]
        super().update(transitions)

    def learn_compiled(self, replica: CompiledReplica) -> None:
        """The same step of one replica."""
        super().learn_compiled(replica)
        update = replica.held(self.quantile_update, hold_quantiles, self.levels)
        learn_quantiles(update, self.z.step + 1)

    def quantile_update(self, replica: CompiledReplica) -> QuantileUpdate:
        """What compiled functions take to update the quantile network."""
        self._check_levels()
        net, space = replica.net(self.z), replica.space(quantile_space, self.z)
        return QuantileUpdate(net, replica.batch, as_array(self.levels), space)

    def _check_levels(self) -> None:
        n_levels, n_actions = len(self.levels), self.problem.n_actions
        check_levels(self.z.sizes, n_levels, n_actions, self.config.quantiles)

    def learn(self, batch: Batch) -> None:
        """One step of the ensemble and one of the quantile network."""
        self._check_levels()
        super().learn(batch)
        self.z.open(batch.both)
        seen = self.z.online()
        quantiles, n = self.config.quantiles, batch.actions.shape[2]
        shape = (len(self.rngs), self.problem.n_actions, quantiles, 2 * n)
        now, following = torch.split(seen.out.view(shape), n, dim=3)
        best = following.mean(2, keepdim=True).max(1, keepdim=True).indices  # [R, 1, 1, n]
        target = torch.addcmul(batch.rewards, batch.discounts, of_action(following, best))
        actions = batch.actions[:, None]
        derivative = quantile_huber(of_action(now, actions), target, as_tensor(self.levels))
        index = actions.expand(-1, -1, quantiles, -1)
        full = torch.zeros_like(now).scatter_(1, index, derivative.unsqueeze(1))
        self.z.learn(seen, full.flatten(1, 2))


def of_action(values: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Quantiles [R, I, n] of the actions [R, 1, 1, n], from those [R, A, I, n] of all."""
    index = actions.expand(-1, -1, values.shape[2], -1)
    return values.gather(1, index).squeeze(1)


def information_ratio(
    q: npt.NDArray[np.float64],
    quantiles: npt.NDArray[np.float64],
    optimism: float,
    least_noise: float,
) -> npt.NDArray[np.float64]:
    """D^2 / I of the module.

    Args:
        q: float64 [B, A], values of the members.
        quantiles: float64 [A, quantiles], of the return.
        optimism: standard deviations in the regret.
        least_noise: c.

    Returns:
        float64 [A].
    """
    mu, sigma = q.mean(axis=0), q.std(axis=0)
    regret = (mu + optimism * sigma).max() - (mu - optimism * sigma)
    variance = quantiles.var(axis=1)
    noise = np.maximum(least_noise, variance / (TINY + variance.mean()))
    ratio: npt.NDArray[np.float64] = regret**2 / (np.log1p(sigma**2 / noise) + TINY)
    return ratio


class IDS(DeepAgent):
    """IDS; see the module for the algorithm."""

    learner_type = IDSLearner


class IDSReplicas(DeepReplicas):
    """Several of them, learning at once."""

    learner_type = IDSLearner

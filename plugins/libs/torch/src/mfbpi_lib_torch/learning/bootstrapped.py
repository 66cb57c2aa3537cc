"""Bootstrapped DQN with randomised priors: the learner of bsp and bsp2, and part of others.

Member b learns, from the transitions its mask selects, towards

    y_b = r + gamma Q'_b(s', a'),    a' = argmax_a Q'_b(s', a)  or, double,  argmax_a Q_b(s', a)

with Q' the target copy and Q = network + scale x prior. In :class:`BootstrappedDQN` a member acts
greedily for an episode.

Source: Osband et al. 2016, 2018; Russo & Proutiere 2023, appendix on the deep experiments.
"""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Arrays, Batch
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.replica import CompiledReplica
from mfbpi_lib_torch.kernels.values import Rule, ValueUpdate, check_sizes, learn_values, space_of
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.learning.learner import K, L, Learner, Values
from mfbpi_lib_torch.networks.layers import Activations
from mfbpi_lib_torch.networks.losses import regression


@attrs.frozen(eq=False)
class Estimates:
    """Values of the ensemble at a batch of n transitions, priors added.

    Attributes:
        seen: activations, for the backward pass.
        online: float32 [R, B, A, n or 2 n], at s and, where the rule needs them, at s'.
        target: float32 [R, B, A, n or 2 n], of the target copy at s' or at s and s'.
        n: transitions.
    """

    seen: Activations
    online: torch.Tensor
    target: torch.Tensor
    n: int

    @property
    def now(self) -> torch.Tensor:
        """Values [R, B, A, n] at s."""
        return self.online[..., : self.n]

    @property
    def following(self) -> torch.Tensor:
        """Values [R, B, A, n] at s'."""
        return self.online[..., self.n :]

    @property
    def target_now(self) -> torch.Tensor:
        """Values [R, B, A, n] of the target copy at s."""
        return self.target[..., : self.n]

    @property
    def target_following(self) -> torch.Tensor:
        """Values [R, B, A, n] of the target copy at s'."""
        return self.target[..., -self.n :]


class Bootstrapped(Learner[L, K]):
    """The learner of the ensemble; how a replica acts is for subclasses to say.

    Attributes:
        double: chooses the target, see the module.
        target_at_both: whether the target copy is needed at s too.
    """

    double: ClassVar[bool] = False
    target_at_both: ClassVar[bool] = False

    parts_of_learning: ClassVar[tuple[str, ...]] = (
        *("learn", "estimates", "target", "learn_values"),
        *("rule", "loss_divisor", "by_replica"),
    )

    def build(self) -> None:
        """One ensemble and its prior."""
        self.q = self.network(self.sizes(), self.config.learning_rate)
        self.prior("q")

    def values(self, encoded: Array, priors: Arrays) -> Values:
        """Q of every member."""
        q = self.q.act(encoded)
        if "q" in priors:
            q = q + priors["q"].reshape(q.shape)
        return {"q": self.present(q)}

    def recommended(self, values: Values) -> int:
        """Greedy for the mean over the members."""
        return int(values["q"].mean(axis=0).argmax())

    def learn(self, batch: Batch) -> None:
        """One step of the ensemble."""
        q = self.estimates(batch)
        self.learn_values(batch, q, self.target(batch, q))

    def learn_compiled(self, replica: CompiledReplica) -> None:
        """The same step of one replica."""
        learn_values(replica.held(self.value_update), self.q.step + 1)

    def value_update(self, replica: CompiledReplica) -> ValueUpdate:
        """What compiled functions take to update the ensemble."""
        net, batch, prior = replica.net(self.q), replica.batch, replica.prior("q")
        check_sizes(net, batch, prior, self.problem.n_actions)
        return ValueUpdate(net, batch, prior, self.rule(), replica.space(space_of, self.q))

    def rule(self) -> Rule:
        """How the values learn; compiled functions ask once."""
        return Rule(self.double, False, self.config.loss == "huber", self.loss_divisor)

    @property
    def loss_divisor(self) -> float:
        """What the mean loss is divided by: Adam's eps counts that many times as much."""
        return 1.0

    def estimates(self, batch: Batch) -> Estimates:
        """Open the batch; evaluate the ensemble and its target copy, once and where needed."""
        n = batch.actions.shape[2]
        online_at = slice(None) if self.rule().follows else slice(0, n)
        target_at = slice(None) if self.target_at_both else slice(n, None)
        self.q.open(batch.both)
        seen = self.q.online(online_at)
        online, target = seen.out, self.q.copied(target_at)
        if "q" in batch.priors:
            online = online + batch.priors["q"][..., online_at]
            target = target + batch.priors["q"][..., target_at]
        return Estimates(seen, self.by_replica(online), self.by_replica(target), n)

    def target(self, batch: Batch, q: Estimates) -> torch.Tensor:
        """y of the module, float32 [R, B, n]."""
        if self.rule().double:
            best = q.following.max(2, keepdim=True).indices
            following = q.target_following.gather(2, best).squeeze(2)
        else:
            following = q.target_following.amax(2)
        return torch.addcmul(batch.rewards, batch.discounts, following)

    def learn_values(self, batch: Batch, q: Estimates, target: torch.Tensor) -> None:
        """Step towards ``target`` [R, B, n]."""
        prediction = taken(q.now, batch.actions)
        rule = self.rule()
        derivative = regression(prediction, target, batch.mask, rule.loss, rule.divisor)
        self.q.learn(q.seen, spread(derivative, batch.actions, self.problem.n_actions))


class MemberLane(Lane):
    """A replica in which one member acts for the time being.

    Attributes:
        member: its number.
        members: how many there are.
    """

    saved: ClassVar[tuple[str, ...]] = (*Lane.saved, "member")

    def __init__(self, rng: np.random.Generator, replay: Replay, members: int) -> None:
        super().__init__(rng, replay)
        self.member = 0
        self.members = members

    def ranges(self) -> dict[str, tuple[float, float]]:
        """A member that there is."""
        return {**super().ranges(), "member": (0, self.members - 1)}


class BootstrappedDQN(Bootstrapped[MemberLane, DeepConfig]):
    """The learner in which a member acts greedily for an episode."""

    def lane(self, rng: np.random.Generator, replay: Replay) -> MemberLane:
        """A replica before its first episode."""
        return MemberLane(rng, replay, self.config.ensemble_size)

    def renew(self, lane: MemberLane) -> None:
        """Draw the member that acts."""
        lane.member = int(lane.rng.integers(self.config.ensemble_size))

    def choose(self, lane: MemberLane, values: Values) -> int:
        """Greedy for the member that acts."""
        return int(values["q"][lane.member].argmax())


def taken(values: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Values [R, B, n] of the actions [R, 1, n], from those [R, B, A, n] of all."""
    replicas, members, _, n = values.shape
    index = actions.expand(replicas, members, n).unsqueeze(2)
    return values.gather(2, index).squeeze(2)


def spread(derivative: torch.Tensor, actions: torch.Tensor, n_actions: int) -> torch.Tensor:
    """From derivatives [R, B, n] by the taken actions' values to [G, A, n], zero elsewhere."""
    replicas, members, n = derivative.shape
    index = actions.expand(replicas, members, n).unsqueeze(2)
    full = derivative.new_zeros(replicas, members, n_actions, n)
    return full.scatter_(2, index, derivative.unsqueeze(2)).flatten(0, 1)

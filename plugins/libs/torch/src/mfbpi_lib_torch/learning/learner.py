"""The frame of the deep agents, for R replicas in lockstep; an agent alone is R = 1.

A step of every replica: choose actions, store the transitions, draw a batch from each replay
buffer, and update all networks at once. What a replica draws comes from its own generators, in an
order that does not depend on R, so replicas side by side take the steps of replicas on their own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from mfbpi_core import Problem, Transition
from mfbpi_core.data.problem import Observation
from mfbpi_lib_torch import device, seeding
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Batch, Memory
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.networks.ensemble import Ensemble, Initial
from mfbpi_lib_torch.networks.layers import Sizes
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.stateful import Stateful

#: Values [B, A] in one state, by the name of what estimates them.
Values = dict[str, npt.NDArray[np.float64]]


#: What an algorithm keeps for each replica.
L = TypeVar("L", bound=Lane)


class Learner(Stateful, Generic[L]):
    """An algorithm for R replicas; subclasses add networks and rules.

    Args:
        problem: sizes and discount.
        config: parameters, a :class:`~mfbpi_lib_torch.config.DeepConfig`.
        rngs: one stream for each replica.
    """

    saved: ClassVar[tuple[str, ...]] = ("lanes", "networks", "prior_networks", "updates")

    #: Whether masks are drawn once and stored with a transition, or drawn for each batch.
    stores_masks: ClassVar[bool] = False

    def __init__(self, problem: Problem, config: Any, rngs: Sequence[np.random.Generator]) -> None:
        device.use_one_thread()
        self.problem = problem
        self.config = config
        self.rngs = list(rngs)
        self.device = device.resolve(config.device)
        self.encoder = Encoder.of(problem, config.one_hot)
        self.updates = 0
        self.networks: list[Ensemble] = []
        self.priors: dict[str, Prior] = {}
        self.build()
        self.prior_networks = list(self.priors.values())
        self.memory = Memory(
            problem, config, self.encoder, self.priors, self.device, self.stores_masks
        )
        self.lanes: list[L] = [self.lane(rng, self._replay(rng)) for rng in self.rngs]
        for lane in self.lanes:
            self.renew(lane)

    def _replay(self, rng: np.random.Generator) -> Replay:
        return Replay(self.config.buffer_size, self.memory.columns(), seeding.child(rng))

    # What an algorithm adds.

    @abstractmethod
    def build(self) -> None:
        """Make the networks, with :meth:`network` and :meth:`prior`."""

    @abstractmethod
    def lane(self, rng: np.random.Generator, replay: Replay) -> L:
        """What a replica has for itself, before its first step."""

    @abstractmethod
    def values(self, encoded: npt.NDArray[Any], priors: dict[str, torch.Tensor]) -> Values:
        """Values [R, B, A] in one state of each replica; ``priors`` are [R, B * A]."""

    @abstractmethod
    def choose(self, lane: L, values: Values) -> int:
        """The action that a replica takes, from its values in the present state."""

    @abstractmethod
    def recommended(self, values: Values) -> int:
        """The action believed best, from the values in a state."""

    @abstractmethod
    def learn(self, batch: Batch) -> None:
        """Update the networks."""

    def renew(self, lane: L) -> None:
        """Draw what acts next, at the start and after every episode."""

    def renewal_is_due(self, lane: L) -> bool:  # noqa: ARG002 - for subclasses
        """Whether to draw what acts next within an episode."""
        return False

    # Networks.

    def sizes(self, **other: int) -> Sizes:
        """Sizes of an ensemble of values, or others where given."""
        given = {
            "members": self.config.ensemble_size,
            "hidden": self.config.hidden,
            "outputs": self.problem.n_actions,
            **other,
        }
        return Sizes(
            replicas=len(self.rngs),
            inputs=self.encoder.inputs,
            one_hot=self.encoder.one_hot,
            **given,
        )

    def network(
        self, sizes: Sizes, rate: float, gain: float = 1.0, *, target: bool = True
    ) -> Ensemble:
        """An ensemble that learns, seeded from the replicas' streams."""
        initial = Initial(rule=self.config.initialiser, gain=gain)
        generators = [seeding.torch_child(rng) for rng in self.rngs]
        network = Ensemble(sizes, initial, rate, generators, self.device, target=target)
        self.networks.append(network)
        return network

    def prior(self, name: str, *, rectified: bool = False, at_next: bool = True) -> None:
        """A prior for an ensemble of values, known by that name in batches; none if scale is 0."""
        scale = self.config.prior_scale
        if scale > 0:
            initial = Initial(rule=self.config.prior_initialiser)
            generators = [seeding.torch_child(rng) for rng in self.rngs]
            self.priors[name] = Prior(
                self.sizes(),
                initial,
                scale,
                generators,
                self.device,
                rectified=rectified,
                at_next=at_next,
            )

    def by_replica(self, values: torch.Tensor) -> torch.Tensor:
        """From [G, ...] to [R, B, ...]."""
        replicas = len(self.rngs)
        return values.view(replicas, values.shape[0] // replicas, *values.shape[1:])

    def present(self, values: torch.Tensor) -> npt.NDArray[np.float64]:
        """From [G, A] on the device to float64 [R, B, A] for the rules."""
        array: npt.NDArray[np.float64] = self.by_replica(values).double().cpu().numpy()
        return array

    # One step.

    def select_actions(self, observations: Sequence[Observation]) -> list[int]:
        """Sampling rule, for one observation of each replica."""
        uniform = [lane.explores(self.config.exploration_steps) for lane in self.lanes]
        values: Values = {}
        if not all(uniform):
            encoded = self.encoder.encode(observations)
            values = self.values(encoded, self.memory.priors_at(encoded))
        return [
            int(lane.rng.integers(self.problem.n_actions))
            if explores
            else self.choose(lane, {name: value[r] for name, value in values.items()})
            for r, (lane, explores) in enumerate(zip(self.lanes, uniform, strict=True))
        ]

    def update(self, transitions: Sequence[Transition]) -> None:
        """Learning rule, for the transition that each replica has just made."""
        self.memory.store(self.lanes, transitions)
        for lane, transition in zip(self.lanes, transitions, strict=True):
            lane.steps += 1
            if transition.terminated or transition.truncated or self.renewal_is_due(lane):
                self.renew(lane)
        if len(self.lanes[0].replay) >= self.config.batch_size:
            self.learn(self.memory.sample(self.lanes))
            self.updates += 1
            if self.updates % self.config.target_period == 0:
                for network in self.networks:
                    network.copy_to_target()

    def recommend(self, observation: Observation, replica: int = 0) -> int:
        """Recommendation rule of one replica; without side effects."""
        encoded = self.encoder.encode([observation] * len(self.lanes))
        priors = {name: prior.at(encoded) for name, prior in self.priors.items()}
        values = self.values(encoded, priors)
        return self.recommended({name: value[replica] for name, value in values.items()})

"""The frame of the deep agents, for R replicas in lockstep; an agent alone is R = 1.

A step of every replica: choose actions, store the transitions, draw a batch from each replay
buffer, and update all networks at once. What a replica draws comes from its own generators, in an
order that does not depend on R, so replicas side by side take the steps of replicas on their own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem, Transition
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation
from mfbpi_lib_torch import device, seeding
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.denormals import flushing
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Arrays, Batch, Memory
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.replica import CompiledReplica
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.learning import divergence
from mfbpi_lib_torch.learning.taking import OnPath
from mfbpi_lib_torch.networks.ensemble import Ensemble, Initial
from mfbpi_lib_torch.networks.layers import Sizes
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.stateful import COUNTED

#: Values [B, A] in one state, by the name of what estimates them.
Values = dict[str, npt.NDArray[np.float64]]


#: What an algorithm keeps for each replica.
L = TypeVar("L", bound=Lane)

#: Its parameters.
K = TypeVar("K", bound=DeepConfig)


class Learner(OnPath, Generic[L, K]):
    """An algorithm for R replicas; subclasses add networks and rules.

    Args:
        problem: sizes and discount.
        config: parameters.
        rngs: one stream for each replica.
    """

    saved: ClassVar[tuple[str, ...]] = ("lanes", "networks", "path", "prior_networks", "updates")

    #: Methods that :meth:`learn` is made of; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = ("learn", "by_replica")

    #: Parameters on whose size it depends whether learning stays finite, for messages.
    magnitudes: ClassVar[tuple[str, ...]] = ("learning_rate", "prior_scale", "loss")

    #: Whether masks are drawn once and stored with a transition, or drawn for each batch.
    stores_masks: ClassVar[bool] = False

    def __init__(self, problem: Problem, config: K, rngs: Sequence[np.random.Generator]) -> None:
        super().__init__()
        self.problem = problem
        self.config = config
        self.rngs = list(rngs)
        self.device = device.resolve(config.device)
        self.encoder = Encoder.of(problem, config.one_hot)
        self.updates = 0
        self.networks: list[Ensemble] = []
        self.priors = {}
        self.build()
        # What build has made of the problem and the parameters counts, on both paths.
        made_with = self.problem, self.config, self.encoder, self.priors, self.device
        self.memory = Memory(*made_with, self.stores_masks)
        self.lanes: list[L] = [self.lane(rng, self._replay(rng)) for rng in self.rngs]
        for lane in self.lanes:
            self.renew(lane)

    def _replay(self, rng: np.random.Generator) -> Replay:
        memory, size = self.memory, self.config.buffer_size
        return Replay(size, memory.columns(), seeding.child(rng), memory.largest())

    # What an algorithm adds.

    @abstractmethod
    def build(self) -> None:
        """Make the networks, with :meth:`network` and :meth:`prior`."""

    @abstractmethod
    def lane(self, rng: np.random.Generator, replay: Replay) -> L:
        """What a replica has for itself, before its first step."""

    @abstractmethod
    def values(self, encoded: Array, priors: Arrays) -> Values:
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

    def learn_compiled(self, replica: CompiledReplica) -> None:
        """The same for one replica, whose batch is drawn, by functions of ``kernels``."""
        raise NotImplementedError

    def renew(self, lane: L) -> None:
        """Draw what acts next, at the start and after every episode."""

    def renewal_is_due(self, lane: L) -> bool:  # noqa: ARG002 - for subclasses
        """Whether to draw what acts next within an episode."""
        return False

    def clock(self, lane: L) -> int:
        """The time t of the exploration: the steps that a replica has taken."""
        return lane.steps

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
        generators = [seeding.child(rng) for rng in self.rngs]
        network = Ensemble(sizes, initial, rate, generators, self.device, target=target)
        self.networks.append(network)
        return network

    def prior(self, name: str, *, rectified: bool = False, at_next: bool = True) -> None:
        """A prior for an ensemble of values, known by that name in batches; none if scale is 0."""
        scale = self.config.prior_scale
        if scale > 0:
            initial = Initial(rule=self.config.prior_initialiser)
            generators = [seeding.child(rng) for rng in self.rngs]
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

    def present(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """From outputs, float32 [G, A], to float64 [R, B, A] for the rules.

        Raises:
            SolverError: when some are not finite: learning has left the range of float32.
        """
        replicas = len(self.rngs)
        shape = (replicas, len(values) // replicas, *values.shape[1:])
        by_replica = values.reshape(shape).astype(np.float64)
        divergence.check_outputs(self, by_replica)
        return by_replica

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Updates are counted from 0."""
        return {"updates": COUNTED}

    def state_dict(self) -> StateDict:
        """The state as a copy.

        Raises:
            SolverError: when learning has left the range of float32: it could not go on.
        """
        divergence.check_networks(self)
        return super().state_dict()

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: all but what compiled functions hold.

        Raises:
            SolverError: as :meth:`state_dict`.
            CheckpointError: when a generator would come back as one of another class.
        """
        divergence.check_networks(self)
        return super().__getstate__()

    # One step.

    def select_actions(self, observations: Sequence[Observation]) -> list[int]:
        """Sampling rule, for one observation of each replica."""
        self.settle()
        c = self.config.exploration_steps
        uniform = [lane.explores(c, self.clock(lane)) for lane in self.lanes]
        values: Values = {}
        if not all(uniform):
            encoded = self.encoder.encode(observations)
            values = divergence.checked(self, self.values(encoded, self.memory.priors_at(encoded)))
        return [
            int(lane.rng.integers(self.problem.n_actions))
            if explores
            else self.choose(lane, {name: value[r] for name, value in values.items()})
            for r, (lane, explores) in enumerate(zip(self.lanes, uniform, strict=True))
        ]

    def update(self, transitions: Sequence[Transition]) -> None:
        """Learning rule, for the transition that each replica has just made."""
        if not self._path:
            self.settle()
        self.memory.store(self.lanes, transitions)
        for lane, transition in zip(self.lanes, transitions, strict=True):
            lane.steps += 1
            if transition.terminated or transition.truncated or self.renewal_is_due(lane):
                self.renew(lane)
        if len(self.lanes[0].replay) >= self.config.batch_size:
            flushing(self._learn)
            self.updates += 1
            divergence.check_now_and_then(self)
            if self.updates % self.config.target_period == 0:
                for network in self.networks:
                    network.copy_to_target()

    def _learn(self) -> None:
        self.settle()
        if not self.compiled_replicas:
            self.learn(self.memory.sample(self.lanes))
            return
        for replica in self.compiled_replicas:
            replica.draw()
            self.learn_compiled(replica)
        for network in self.compiled_replicas[0].trained:
            network.count_step()

    def recommend(self, observation: Observation, replica: int = 0) -> int:
        """Recommendation rule of one replica; without side effects."""
        self.settle()
        encoded = self.encoder.encode([observation] * len(self.lanes))
        priors = {name: prior.at(encoded) for name, prior in self.priors.items()}
        values = divergence.checked(self, self.values(encoded, priors))
        return self.recommended({name: value[replica] for name, value in values.items()})


#: One of whatever algorithm.
AnyLearner: TypeAlias = Learner[Any, Any]

"""Taking one of the two paths of learning, see ``paths``, and going on on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import attrs

from mfbpi_core import Problem
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import UsageError
from mfbpi_lib_torch import device
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.memory import Memory
from mfbpi_lib_torch.kernels.held import hold
from mfbpi_lib_torch.kernels.replica import CompiledReplica, net_of_prior
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.stateful import Stateful, restore_whole


class OnPath(Stateful):
    """What learns on one of the paths; what it is made of is for subclasses to make.

    The path is chosen when it is first asked for, by the first step or for a saved state: until
    then a constructor may put objects of its own in the place of what it has made.
    """

    #: Methods that compiled functions do themselves; see ``paths``.
    parts_of_learning: ClassVar[tuple[str, ...]] = ()

    problem: Problem
    config: Any
    encoder: Encoder
    device: str
    memory: Memory
    networks: list[Ensemble]
    lanes: Sequence[Any]

    _path: str = ""
    _compiled: Sequence[CompiledReplica] = ()
    _built: dict[str, Prior]  # priors, until there is a memory

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors by name: those of the memory, which stores what they say of transitions."""
        known: Any = self.memory.priors if "memory" in vars(self) else self._built
        return known

    @priors.setter
    def priors(self, priors: dict[str, Prior]) -> None:
        if "memory" in vars(self):
            self.memory = attrs.evolve(self.memory, priors=priors)
        else:
            self._built = priors

    @property
    def prior_networks(self) -> list[Prior]:
        """The priors as they are saved."""
        return list(self.priors.values())

    @property
    def path(self) -> str:
        """The path that learning takes."""
        self.settle()
        return self._path

    @path.setter
    def path(self, path: str) -> None:
        self._path = path

    @property
    def compiled_replicas(self) -> Sequence[CompiledReplica]:
        """What compiled functions take of each replica; nothing on the path of torch."""
        return self._compiled if self.path == paths.COMPILED else ()

    def settle(self) -> None:
        """Choose the path, unless that is done: compiled functions where they may be taken."""
        if not self._path:
            self.take(paths.TORCH if paths.obstacle(self) else paths.COMPILED)

    def renew_path(self) -> None:
        """Choose the path anew where a part was replaced that compiled functions hold."""
        pairs = zip(self._compiled, self.lanes, strict=False)  # nothing, on the path of torch
        if not all(made.is_current(lane, self.networks, self.priors) for made, lane in pairs):
            self._compiled, self._path = (), ""
        self.settle()

    def take(self, path: str) -> None:
        """Learn on that path from now on.

        Raises:
            UsageError: when it is the compiled one, and cannot be taken, with the reason.
        """
        if path == paths.TORCH:
            device.use_one_thread()
            self._compiled = ()
        else:
            if reason := paths.obstacle(self):
                raise UsageError(f"learning cannot be compiled: {reason}; take {paths.TORCH!r}")
            self._compiled = self._compiled or [self._replica(r) for r in range(len(self.lanes))]
        self._path = path
        for network in self.networks:
            network.nets = [hold(made.nets[network]) for made in self._compiled]
        for prior in self.priors.values():
            prior.nets = [hold(net_of_prior(prior, made.number)) for made in self._compiled]

    def _replica(self, r: int) -> CompiledReplica:
        return CompiledReplica(
            self.config,
            self.encoder,
            self.memory.problem.discount,
            self.lanes[r],
            self.networks,
            self.priors,
            r,
        )

    def load_state_dict(self, state: StateDict) -> None:
        """Restore :meth:`state_dict`, and go on on the path that it was saved on.

        Raises:
            CheckpointError: when that path cannot be taken here, or a part of the state is of
                another size or kind; nothing is taken over then.
        """
        paths.check_saved(self, state)
        self.memory.forget()
        restore_whole(self, state)
        self.take(self.path)

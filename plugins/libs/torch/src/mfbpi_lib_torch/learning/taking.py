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
from mfbpi_lib_torch.kept import restore_whole
from mfbpi_lib_torch.kernels.held import hold
from mfbpi_lib_torch.kernels.made_of import Parts, are_same, parts_of
from mfbpi_lib_torch.kernels.replica import CompiledReplica
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.stateful import Stateful


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

    _path: str
    _compiled: Sequence[CompiledReplica]
    _parts: Parts  # what compiled functions hold
    _built: dict[str, Prior]  # priors, until there is a memory

    def __init__(self) -> None:
        self._path, self._compiled, self._parts = "", (), ([], [])

    def __getstate__(self) -> dict[str, Any]:
        """Without what compiled functions hold, which is in memory of this learner's own."""
        return {**super().__getstate__(), "_compiled": (), "_parts": ([], [])}

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
        if not self._path:
            self.settle()
        return self._path

    @path.setter
    def path(self, path: str) -> None:
        self._path = path

    @property
    def compiled_replicas(self) -> Sequence[CompiledReplica]:
        """What compiled functions take of each replica; nothing on the path of torch."""
        if not self._compiled and self.path == paths.COMPILED:
            self.settle()
        return self._compiled

    def settle(self) -> None:
        """Choose the path, unless that is done: compiled functions where they may be taken.

        It is chosen anew where a part was replaced that they hold.
        """
        if self._compiled and not are_same(self._parts, parts_of(self)):
            self._compiled, self._path = (), ""
        if not self._path:
            self.take(paths.TORCH if paths.obstacle(self) else paths.COMPILED)
        elif self._path == paths.COMPILED and not self._compiled:  # a copy goes on on its path
            self.take(self._path)

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
            if not self._compiled or not are_same(self._parts, parts_of(self)):
                self._compiled = [self._replica(r) for r in range(len(self.lanes))]
        self._path = path
        for network in self.networks:
            network.nets = [hold(made.nets[network]) for made in self._compiled]
        for prior in self.priors.values():
            prior.nets = [hold(prior.net(made.number)) for made in self._compiled]
        self._parts = parts_of(self) if self._compiled else ([], [])

    def _replica(self, r: int) -> CompiledReplica:
        return CompiledReplica(self.memory, self.lanes[r], self.networks, r)

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

"""What networks and priors share where compiled functions hold them: how they are copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.kernels.held import Held, hold
from mfbpi_lib_torch.kernels.parts import Net
from mfbpi_lib_torch.networks.layers import Sizes
from mfbpi_lib_torch.stateful import Stateful


class Acting(Stateful):
    """Weights of several replicas.

    Attributes:
        sizes: sizes.
        nets: where the compiled path is taken, its view of each replica.
    """

    sizes: Sizes
    nets: Sequence[Held] = ()

    def net(self, r: int) -> Net:
        """The weights of replica r, in the memory of all, as compiled functions take them."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Without what compiled functions hold, of which it is said that there is any."""
        return {**super().__getstate__(), "nets": bool(self.nets)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy is held by itself, and acts as what it was copied from."""
        vars(self).update(state)
        replicas = range(self.sizes.replicas if state["nets"] and available() else 0)
        self.nets = [hold(self.net(r)) for r in replicas]

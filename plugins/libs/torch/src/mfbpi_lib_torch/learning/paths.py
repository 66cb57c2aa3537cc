"""The two paths of learning: compiled functions on a CPU, and torch anywhere.

The formulas are the same, but not the order of additions. Runs are chaotic in rounding: after some
hundred steps the actions of the two differ. So a saved state names its path and goes on on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mfbpi_core.errors import CheckpointError
from mfbpi_lib_torch.device import CPU
from mfbpi_lib_torch.kernels.compiling import available

if TYPE_CHECKING:
    from mfbpi_lib_torch.learning.learner import AnyLearner

COMPILED = "compiled"
TORCH = "torch"
ALL = (COMPILED, TORCH)


def can_compile(learner: AnyLearner) -> bool:
    """Whether a learner may take the compiled path: here, and without losing what it changes."""
    return available() and learner.device == CPU and _is_complete(type(learner))


def _is_complete(kind: type[AnyLearner]) -> bool:
    """Whether no class changes a part of learning below the one that compiles it."""
    compiles = _definer(kind, "learn_compiled")
    return all(issubclass(compiles, _definer(kind, part)) for part in kind.parts_of_learning)


def _definer(kind: type[AnyLearner], name: str) -> type:
    return next(each for each in kind.__mro__ if name in vars(each))


def check_saved(learner: AnyLearner, state: object) -> None:
    """Refuse a state that was saved on a path that a learner cannot take.

    Raises:
        CheckpointError: with the path and what offers it.
    """
    if not isinstance(state, dict):
        raise CheckpointError(f"the saved state is {state!r:.80}; expected a mapping")
    path = state.get("path")
    if path == TORCH or (path == COMPILED and can_compile(learner)):
        return
    raise CheckpointError(
        f"the saved state is of a run on the path {path!r}, which cannot be taken here; expected "
        f"{TORCH!r}, or {COMPILED!r} with device=cpu and with numba installed, for the "
        "actions of a run depend on its path (start anew, or go on where it was saved)"
    )

"""The two paths of learning: compiled functions on a CPU, and torch anywhere.

The formulas are the same, but not the order of additions. Runs are chaotic in rounding: after some
hundred steps the actions of the two differ. So a saved state names its path and goes on on it.

Compiled functions do themselves what classes name in ``parts_of_learning``, and would not notice
that a subclass changes it: a learner takes the path of torch where its class changes a part, and
not ``learn_compiled`` with it, or where an object that it is made of has a part of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mfbpi_core.errors import CheckpointError
from mfbpi_lib_torch.device import CPU
from mfbpi_lib_torch.experience.memory import Memory
from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.networks.rows import RowTable

if TYPE_CHECKING:
    from mfbpi_lib_torch.learning.taking import OnPath

COMPILED = "compiled"
TORCH = "torch"
ALL = (COMPILED, TORCH)


def obstacle(learner: OnPath) -> str:
    """Why a learner cannot take the compiled path, here or without losing what it changes.

    Returns:
        The reason, or nothing.
    """
    if not available():
        return "numba is not installed, or NUMBA_DISABLE_JIT is set"
    if learner.device != CPU:
        return f"device is {learner.device!r}, not {CPU!r}"
    return next(filter(None, _changes(learner)), "")


def _changes(learner: OnPath) -> Iterator[str]:
    """What is changed of the learner and of each object that it is made of; nothing if nothing."""
    kind = type(learner)
    yield _change(learner, _definer(kind, "learn_compiled"), kind.parts_of_learning)
    tables = [network.table for network in learner.networks if network.table is not None]
    below: list[tuple[Any, Sequence[Any]]] = [
        (Memory, [learner.memory]),
        (Replay, [lane.replay for lane in learner.lanes]),
        (Ensemble, learner.networks),
        (RowTable, tables),
        (Prior, list(learner.priors.values())),
    ]
    for known, objects in below:
        for each in objects:
            yield _change(each, known, known.parts_of_learning)


def _change(made: object, known: type, parts: Sequence[str]) -> str:
    """The first part of an object that is not the one of the class which compiled code knows."""
    for part in parts:
        changing = _definer(type(made), part)
        if _has_its_own(made, part) or not issubclass(known, changing):
            return (
                f"{changing.__name__}.{part} is not what compiled functions do, which is "
                f"{known.__name__}.{part}"
            )
    return ""


def _definer(kind: type, name: str) -> type:
    return next((each for each in kind.__mro__ if name in vars(each)), kind)


def _has_its_own(made: object, name: str) -> bool:
    """Whether an object has an attribute in the place of a method."""
    derived = isinstance(getattr(type(made), name, None), functools.cached_property)
    return name in getattr(made, "__dict__", ()) and not derived


def check_saved(learner: OnPath, state: object) -> None:
    """Refuse a state that was saved on a path that a learner cannot take.

    Raises:
        CheckpointError: with the path and what offers it.
    """
    if not isinstance(state, dict):
        raise CheckpointError(f"the saved state is {state!r:.80}; expected a mapping")
    path = state.get("path")
    if path == TORCH:
        return
    reason = obstacle(learner) if path == COMPILED else f"expected {TORCH!r} or {COMPILED!r}"
    if reason:
        raise CheckpointError(
            f"the saved state is of a run on the path {path!r}, which cannot be taken here "
            f"({reason}); the actions of a run depend on its path: start anew, or go on where it "
            "was saved"
        )

"""Global random generators: poisoned on purpose, and watched."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.tools.comparison import difference, require_equal

#: Two arbitrary seeds with which the global generators are poisoned.
POISONS = (20, 231)


@attrs.frozen
class _Global:
    """A generator that belongs to a module: how to read, write and seed it."""

    name: str
    get: Callable[[], object]
    set: Callable[[Any], Any]
    seed: Callable[[int], Any]


def _globals() -> list[_Global]:
    """The global generators there are; torch's only where torch is imported already."""
    found = [
        _Global("random", random.getstate, random.setstate, random.seed),
        # The legacy functions are the very thing that is watched.
        _Global(
            "numpy.random",
            np.random.get_state,
            np.random.set_state,
            np.random.seed,
        ),
    ]
    torch = sys.modules.get("torch")
    if torch is not None:
        get, put, seed = torch.get_rng_state, torch.set_rng_state, torch.manual_seed
        found.append(_Global("torch", get, put, seed))
    return found


@contextlib.contextmanager
def poisoned(seed: int) -> Iterator[None]:
    """Seed every global generator and restore it afterwards.

    Raises:
        CheckFailure: when the block drew from one, or seeded it.
    """
    generators = _globals()
    before = [generator.get() for generator in generators]
    for generator in generators:
        generator.seed(seed)
    seeded = [generator.get() for generator in generators]
    try:
        yield
        for generator, state in zip(generators, seeded, strict=True):
            unchanged = difference(state, generator.get()) is None
            require(
                unchanged, f"the global generator of `{generator.name}` was drawn from or seeded"
            )
    finally:
        for generator, state in zip(generators, before, strict=True):
            generator.set(state)


def require_independence(result: Callable[[], object]) -> None:
    """Require that ``result()`` neither changes the global generators nor depends on them."""
    reference = result()
    for seed in POISONS:
        with poisoned(seed):
            again = result()
        require_equal(reference, again, "the result depends on a global generator")

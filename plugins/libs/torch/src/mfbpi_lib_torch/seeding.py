"""Generators derived from an agent's own stream; no global generator is seeded or drawn from."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from mfbpi_core.errors import CheckpointError
from mfbpi_core.running import seeds
from mfbpi_core.running.generators import SEEDS, restore_generator

#: Words of 32 bits that seed a derived generator.
_SEED_WORDS = 4


def child(rng: np.random.Generator) -> np.random.Generator:
    """A generator seeded from the next numbers of ``rng``."""
    return np.random.default_rng(rng.integers(2**32, size=_SEED_WORDS, dtype=np.uint32).tolist())


def restore(own: np.random.Generator, saved: Any) -> None:
    """Let a generator stand where the saved one did, and spawn what that would have spawned.

    States of earlier versions leave out what is spawned from: then it stays the generator's own.

    Raises:
        CheckpointError: when it is the state of another kind of generator, or of none.
    """
    sequence, state = None, saved
    if isinstance(saved, dict) and SEEDS in saved:
        state = {key: value for key, value in saved.items() if key != SEEDS}
        try:
            sequence = seeds.restored(saved[SEEDS])
        except Exception as error:
            raise CheckpointError(
                f"no generator of numpy has the saved seeds {saved[SEEDS]!s:.80}: {error}"
            ) from error
    restore_generator(own, state)
    if sequence is not None:
        bits: Any = own.bit_generator
        with contextlib.suppress(TypeError):  # numpy before 2.0 keeps no seeds in pickles either
            bits.__setstate__((bits.state, sequence))  # as it is unpickled, in place

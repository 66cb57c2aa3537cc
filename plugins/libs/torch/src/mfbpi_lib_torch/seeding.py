"""Generators derived from an agent's own stream; no global generator is seeded or drawn from."""

from __future__ import annotations

import numpy as np

#: Words of 32 bits that seed a derived generator.
_SEED_WORDS = 4


def child(rng: np.random.Generator) -> np.random.Generator:
    """A generator seeded from the next numbers of ``rng``."""
    return np.random.default_rng(rng.integers(2**32, size=_SEED_WORDS, dtype=np.uint32).tolist())

"""Generators derived from an agent's own stream; no global generator is seeded or drawn from."""

from __future__ import annotations

import numpy as np
import torch

#: Words of 32 bits that seed a derived numpy generator.
_SEED_WORDS = 4


def child(rng: np.random.Generator) -> np.random.Generator:
    """A numpy generator seeded from the next numbers of ``rng``."""
    return np.random.default_rng(rng.integers(2**32, size=_SEED_WORDS, dtype=np.uint32).tolist())


def torch_child(rng: np.random.Generator) -> torch.Generator:
    """A torch generator on the CPU, so that weights are the same on every device."""
    return torch.Generator().manual_seed(int(rng.integers(2**63)))

"""Initial weights of ensembles, by formula; each ensemble draws from its own generator.

With ``n_in`` inputs, ``n_out`` outputs and B members:

- ``truncated_normal``: sd = gain / sqrt(n_in), cut at 2 sd; biases 0.
- ``wide_fan_uniform``: weights in +-sqrt(6 / (n_in n_out)), biases in +-1 / sqrt(n_in n_out).
- ``wide_fan_normal``: sd = 2 / sqrt(n_out (n_in + B)); biases 0.

The last two are He's and Glorot's rules with the fans that torch counts for a tensor of shape
[B, n_in, n_out]: n_in n_out and B n_out. The published DeepSea runs use them, in effect much
smaller weights than the rules intend; the prior scales of those runs are tuned to them.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

#: Truncated normals are cut at this many standard deviations.
CUT = 2.0

Floats = npt.NDArray[np.float32]


def draw(
    rule: str, shape: tuple[int, int, int], rng: np.random.Generator, gain: float = 1.0
) -> tuple[Floats, Floats]:
    """Draw one layer.

    Args:
        rule: name of a rule above.
        shape: (B, n_in, n_out).
        rng: what to draw from.
        gain: factor of the truncated normal.

    Returns:
        Weights float32 [B, n_in, n_out] and biases float32 [B, n_out].
    """
    members, n_in, n_out = shape
    no_biases = np.zeros((members, n_out), np.float32)
    if rule == "truncated_normal":
        return _truncated(shape, rng) * np.float32(gain / math.sqrt(n_in)), no_biases
    if rule == "wide_fan_uniform":
        fan_in = n_in * n_out
        weights = _uniform(shape, math.sqrt(6.0 / fan_in), rng)
        return weights, _uniform((members, n_out), 1.0 / math.sqrt(fan_in), rng)
    sd = 2.0 / math.sqrt(n_out * (n_in + members))
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(sd), no_biases


def _truncated(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Standard normals within the cut; those beyond it are drawn again."""
    drawn: Floats = rng.standard_normal(shape, dtype=np.float32)
    while (beyond := np.abs(drawn) > CUT).any():
        drawn[beyond] = rng.standard_normal(np.count_nonzero(beyond), dtype=np.float32)
    return drawn


def _uniform(shape: tuple[int, ...], bound: float, rng: np.random.Generator) -> Floats:
    """Uniform between the bounds."""
    unit: Floats = rng.random(shape, dtype=np.float32)
    return (unit * np.float32(2.0) - np.float32(1.0)) * np.float32(bound)

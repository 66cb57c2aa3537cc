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

import torch

#: Truncated normals are cut at this many standard deviations.
CUT = 2.0


def draw(
    rule: str,
    shape: tuple[int, int, int],
    generator: torch.Generator,
    gain: float = 1.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw one layer.

    Args:
        rule: name of a rule above.
        shape: (B, n_in, n_out).
        generator: on the CPU.
        gain: factor of the truncated normal.

    Returns:
        Weights float32 [B, n_in, n_out] and biases float32 [B, n_out].
    """
    members, n_in, n_out = shape
    weights = torch.empty(shape)
    biases = torch.zeros(members, n_out)
    if rule == "truncated_normal":
        sd = gain / math.sqrt(n_in)
        torch.nn.init.trunc_normal_(weights, 0.0, sd, -CUT * sd, CUT * sd, generator=generator)
    elif rule == "wide_fan_uniform":
        fan_in = n_in * n_out
        bound = math.sqrt(6.0 / fan_in)
        weights.uniform_(-bound, bound, generator=generator)
        biases.uniform_(-1.0 / math.sqrt(fan_in), 1.0 / math.sqrt(fan_in), generator=generator)
    else:
        weights.normal_(0.0, 2.0 / math.sqrt(n_out * (n_in + members)), generator=generator)
    return weights, biases

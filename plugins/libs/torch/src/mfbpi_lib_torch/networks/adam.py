"""Adam on flat tensors, and the closed form of its steps without gradient.

Step t of Adam (Kingma & Ba 2015, algorithm 1) with gradient g::

    m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
    p <- p - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

A parameter whose gradient is zero still moves. After n such steps from (p, m, v) at step t::

    p - rate * sum_{j=1..n} rho^j c(t + j) m / (sqrt(v) + eps e(j)),    rho = beta1 / sqrt(beta2)
    c(t) = sqrt(1 - beta2^t) / (1 - beta1^t),    e(j) = sqrt(1 - beta2^(t + j)) / sqrt(beta2)^j

With eps' = eps times the average of e(j), weighted by rho^j c(t + j), in the place of eps e(j), the
sum is one of plain numbers; what this leaves out is of second order in eps.
"""

from __future__ import annotations

import math

from mfbpi_lib_torch.late import torch

BETA1 = 0.9
BETA2 = 0.999
EPS = 1e-8

#: Added before a square root: roots of zero take five times as long, and this is far below eps^2.
TINY = 1e-36

#: Ratio of successive steps without gradient.
RHO = BETA1 / math.sqrt(BETA2)


def correction(step: int) -> float:
    """c(t) of the module."""
    return math.sqrt(1.0 - BETA2**step) / (1.0 - BETA1**step)


def epsilon(step: int) -> float:
    """eps' of the module: eps as it appears beside the uncorrected sqrt(v)."""
    return EPS * math.sqrt(1.0 - BETA2**step)


def root(v: torch.Tensor) -> torch.Tensor:
    """The square root of second moments, in a new tensor."""
    return v.add(TINY).sqrt_()


def adam_(
    p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int, rate: float
) -> None:
    """Take step number ``step`` (from 1) in place; all tensors have one shape, ``g`` is kept."""
    m.lerp_(g, 1.0 - BETA1)
    v.mul_(BETA2).addcmul_(g, g, value=1.0 - BETA2)
    p.addcdiv_(m, root(v).add_(epsilon(step)), value=-rate * correction(step))

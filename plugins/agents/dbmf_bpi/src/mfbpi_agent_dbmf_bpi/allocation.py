"""The allocation of DBMF-BPI in one state, from values and moments there.

With phi the golden ratio, D(a) = max_b Q(b) - Q(a), m = M^(2^(1 - k)), pi* the greedy action and
D_min the estimate of the smallest gap anywhere:

    H(a)   = (2 + 8 phi^2 m(a)) / (D(a) + lambda)^2
    H      = 4 (1 + gamma)^2 max(1, 4 gamma^2 phi^2 m(pi*)) / ((D_min + lambda)^2 (1 - gamma)^2)
    w(a)   ~ H(a) for a other than pi*,    w(pi*) ~ sqrt(H sum_a H(a))

The published code multiplies that sum by 2 / (d (1 - gamma)), d the size of an observation.

Source: Russo & Proutiere 2023, section 4.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_lib_tabular.solution import terms
from mfbpi_lib_torch.kernels.compiling import compiled, leaf

_suboptimal, _optimal = leaf(terms.suboptimal), leaf(terms.optimal)


@attrs.frozen(kw_only=True)
class Allocation:
    """The rule and its constants; names as in the module's formulas.

    Attributes:
        discount: gamma.
        k: order of the moments.
        gap_offset: lambda.
        gap_floor: least D + lambda, so that ties stay finite.
        sum_factor: factor of the sum in w(pi*): 1, or the published code's.
    """

    discount: float
    k: int
    gap_offset: float
    gap_floor: float
    sum_factor: float

    def __call__(
        self, q: npt.NDArray[np.float64], moments: npt.NDArray[np.float64], smallest_gap: float
    ) -> npt.NDArray[np.float64]:
        """The distribution over actions.

        Args:
            q: float64 [A].
            moments: float64 [A], M, of order 2^k, 0 or more.
            smallest_gap: D_min.

        Returns:
            float64 [A], summing to 1.
        """
        distribution: npt.NDArray[np.float64] = _allocate(
            q,
            moments ** (2.0 ** (1 - self.k)),
            smallest_gap,
            self.discount,
            self.gap_offset,
            self.gap_floor,
            self.sum_factor,
        )
        return distribution


@compiled
def _allocate(
    q: npt.NDArray[np.float64],
    m: npt.NDArray[np.float64],
    smallest_gap: float,
    discount: float,
    gap_offset: float,
    gap_floor: float,
    sum_factor: float,
) -> npt.NDArray[np.float64]:
    """The allocation; ``m`` is of order one."""
    if q.size == 1:
        return np.ones(1)
    best = q.argmax()
    weights = np.empty(q.size)
    total = 0.0
    for a in range(q.size):
        gap = max(q[best] - q[a] + gap_offset, gap_floor)
        weights[a] = _suboptimal(m[a]) / gap**2
        total += 0.0 if a == best else weights[a]
    least = max(smallest_gap + gap_offset, gap_floor)
    ratio = (1.0 + discount) / (least * (1.0 - discount))
    weights[best] = math.sqrt(_optimal(m[best], discount) * total * sum_factor) * ratio
    return weights / weights.sum()


@compiled
def quantile(values: npt.NDArray[np.float64], level: float) -> npt.NDArray[np.float64]:
    """The quantile [A] over the members of values [B, A], interpolated linearly."""
    members, n_actions = values.shape
    position = level * (members - 1)
    below = int(position)
    above = min(below + 1, members - 1)
    interpolated = np.empty(n_actions)
    for a in range(n_actions):
        ordered = np.sort(values[:, a])
        interpolated[a] = ordered[below] + (position - below) * (ordered[above] - ordered[below])
    return interpolated

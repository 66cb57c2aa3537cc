"""Reward: what a run has earned so far, while it explored.

    reward_sum  = sum_i r_i,    reward_mean = reward_sum / t,

over the rewards r_1, ..., r_t of all steps, of every episode, undiscounted.

The sum is kept exactly, as an integer multiple of a power of two so small that every float64 is
one. Both columns are therefore the exact values rounded once, to the nearest float64: after 1e8
steps as after ten, and the same to the bit in whatever batches the steps come, or in which order.
Adding float64 numbers would lose the small ones, and two ways to cut a run into batches would
give two sums.

Source: the long accumulator of Kulisch & Miranker 1986, "The Arithmetic of the Digital Computer: A
New Approach".
"""

from __future__ import annotations

import contextlib

import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment, Metric, NoConfig, Problem, Snapshot, Transitions
from mfbpi_core.data import arrays
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import ModelError, PluginError

#: Bits of the significand of a float64.
BITS = 53

#: Binary places of the sum. A number is m 2^e, with |m| in [1/2, 1) and e of -1073 or more: an
#: integer of at most 53 bits times 2^(e - 53), which is a multiple of the unit 2^-1126.
PLACES = 1073 + BITS
UNITS_PER_ONE = 2**PLACES

#: Bits of the lower half of such an integer: a float64 adds up 2^26 of either half exactly.
HALF = 27

#: Numbers that are added at a time: fewer than that, and the arrays stay in the cache.
BLOCK = 2**13


def exact_sum(numbers: npt.ArrayLike) -> int:
    """The sum in units of 1 / :data:`UNITS_PER_ONE`, exactly.

    Args:
        numbers: [n], finite.

    >>> exact_sum([1e100, 0.5, -1e100]) / UNITS_PER_ONE
    0.5

    Raises:
        ModelError: for NaN or infinity, naming the first.
    """
    values = arrays.finite("rewards", numbers)
    blocks = (values[start : start + BLOCK] for start in range(0, len(values), BLOCK))
    return sum(map(_sum, blocks))


def _sum(values: FloatArray) -> int:
    """That of a block [n] of finite numbers, one or more; n is at most 2^26."""
    fractions, exponents = np.frexp(values)
    whole = (fractions * 2.0**BITS).astype(np.int64)  # exact
    least = int(exponents.min())
    bins = exponents - least
    high = np.bincount(bins, weights=whole >> HALF)  # [bins], exact: at most 2^26 times 2^26
    low = np.bincount(bins, weights=whole & (2**HALF - 1))
    total = sum(
        ((int(above) << HALF) + int(below)) << place
        for place, (above, below) in enumerate(zip(high, low, strict=True))
        if above or below
    )
    return total << (least + PLACES - BITS)


class Reward(Metric[NoConfig]):
    """The metric ``reward``.

    Both columns at every step; ``reward_mean`` from the first one on. A sum beyond the largest
    float64, 1.8e308, is left out; the mean is not.

    Attributes:
        total: the sum so far, in units of 1 / :data:`UNITS_PER_ONE`.
        steps: t, the number of rewards.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: NoConfig, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.total = 0
        self.steps = 0

    def observe(self, transitions: Transitions) -> None:
        """Add the rewards.

        Raises:
            PluginError: for a reward that is NaN or infinite, which has no sum.
        """
        try:
            self.total += exact_sum(transitions.rewards)
        except ModelError as error:
            raise PluginError(
                f"of the steps from {transitions.start} on, {error}; the metric reward adds them up"
            ) from error
        self.steps += len(transitions)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:  # noqa: ARG002
        """Columns ``reward_sum`` and ``reward_mean``."""
        found: dict[str, float] = {}
        with contextlib.suppress(OverflowError):
            found["reward_sum"] = self.total / UNITS_PER_ONE  # Python rounds to the nearest
        if self.steps:
            found["reward_mean"] = self.total / (self.steps * UNITS_PER_ONE)
        return found

    def state_dict(self) -> StateDict:
        """The sum and the number of steps."""
        return {"total": self.total, "steps": self.steps}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.total, self.steps = int(state["total"]), int(state["steps"])

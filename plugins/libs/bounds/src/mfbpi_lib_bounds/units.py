"""Rewards in the unit in which the bounds are stated.

The bounds hold for rewards in [0, 1]. Rewards in [a, b] are divided by b - a: what a difference of
rewards tells is then what it tells there, and a shift of all rewards moves all values alike, gaps
and moments not at all. Where episodes end, with value 0, a shift would make it better or worse to
end, so that there is none, and the interval that counts is the least one with a, b and 0: values
stay within one of length 1 / (1 - g).
"""

from __future__ import annotations

import attrs

from mfbpi_core.data.mdp import TabularMDP

#: A unit this near to 1 differs from it by rounding only.
ROUNDING = 1e-12


def unit(mdp: TabularMDP) -> float:
    """What the rewards of an instance are divided by."""
    low, high = mdp.reward_range
    if mdp.terminal.any():
        low, high = min(low, 0.0), max(high, 0.0)
    width = high - low
    return 1.0 if abs(width - 1.0) <= ROUNDING else width


def scaled(mdp: TabularMDP) -> TabularMDP:
    """The instance with its rewards in that unit; the same object where nothing changes."""
    by = unit(mdp)
    if by == 1.0:
        return mdp
    low, high = mdp.reward_range
    return attrs.evolve(
        mdp,
        rewards=mdp.rewards / by,
        mean_rewards=mdp.mean_rewards / by,
        reward_range=(low / by, high / by),
    )

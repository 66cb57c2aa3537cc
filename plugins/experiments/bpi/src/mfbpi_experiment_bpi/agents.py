"""The tabular agents, at their defaults and with more forced exploration."""

from __future__ import annotations

from mfbpi_core import Choice

#: Agents whose parameter ``min_exploration`` is the least probability of a uniform action.
FORCED = ("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "q_ucb", "q_learning")

#: All of them, in the order of figures.
AGENTS = ("fw_bpi", *FORCED, "psrl", "uniform")

#: What the forced variants explore: a certificate needs visits of all pairs, of which the
#: defaults of most agents make few.
MIN_EXPLORATION = 0.1


def defaults() -> tuple[Choice, ...]:
    """Every agent as it is."""
    return tuple(map(Choice, AGENTS))


def forced() -> tuple[Choice, ...]:
    """Those that can, with forced exploration."""
    return tuple(Choice(name, min_exploration=MIN_EXPLORATION) for name in FORCED)

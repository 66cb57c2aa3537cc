"""Which states a walk from the start can be in: without scipy, for every environment asks it.

And not compiled: a process that plans runs would load compiled code for this alone.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import IntArray
from mfbpi_core.data.mdp import TabularMDP


def unreachable_states(mdp: TabularMDP) -> IntArray:
    """States that no policy reaches from the initial distribution, sorted."""
    reached = mdp.initial > 0.0
    latest = np.flatnonzero(reached)
    while latest.size:
        following = mdp.successors[latest][mdp.probabilities[latest] > 0.0]
        latest = np.unique(following[~reached[following]])
        reached[latest] = True
    missing: IntArray = np.flatnonzero(~reached)
    return missing

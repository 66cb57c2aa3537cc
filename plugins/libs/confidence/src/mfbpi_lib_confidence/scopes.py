"""Scopes: the states for which a certificate is asked.

They may depend on the data, as may the times at which to ask, whose schedule is in
:mod:`mfbpi_core.running.stopping`: the sets hold for all states and at all times at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import BoolArray
from mfbpi_core.errors import ConfigError
from mfbpi_lib_confidence.evidence import Evidence

SCOPES = ("all", "visited", "initial")


def states_in(scope: str, evidence: Evidence, starts: npt.ArrayLike | None = None) -> BoolArray:
    """The states of a scope, bool [S]; terminal ones are in none.

    Args:
        scope: "all"; "visited", where a decision was taken; or "initial", where episodes began.
        evidence: the counts.
        starts: [S], how often the interaction began in each state; needed for "initial".

    Raises:
        ConfigError: when the scope is unknown.
    """
    alive = ~evidence.terminal
    if scope == "all":
        return alive
    if scope == "visited":
        return alive & (evidence.visits.sum(axis=1) > 0)
    if scope == "initial" and starts is not None:
        return alive & (np.asarray(starts) > 0)
    raise ConfigError(
        f"the scope is {scope!r}; expected one of {', '.join(SCOPES)}, the last with the numbers "
        "of starts"
    )

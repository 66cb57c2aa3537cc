"""How long until something happens, where some were not followed until it did.

A subject that was followed to time u without the event is censored: all that is known is that it
happens later. S(t), the share without the event until t, is estimated as Kaplan & Meier do:

    S(t) = prod over times u <= t of events (1 - d(u) / n(u)),

with d(u) events at u and n(u) subjects that had neither event nor end before u.

Source: Kaplan & Meier 1958, "Nonparametric Estimation from Incomplete Observations".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def kaplan_meier(
    ends: npt.ArrayLike, happened: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The estimate of the module.

    Args:
        ends: integers [n], when each subject was seen last.
        happened: bool [n], whether the event happened there; else it is censored.

    Returns:
        The times of events, increasing, int64 [m], and the share without the event right after
        each, float64 [m].
    """
    steps = np.asarray(ends, dtype=np.int64)
    events = np.asarray(happened, dtype=np.bool_)
    times = np.unique(steps[events])
    deaths = (steps[events] == times[:, None]).sum(axis=1)  # d(u)
    at_risk = (steps >= times[:, None]).sum(axis=1)  # n(u)
    return times, np.cumprod(1.0 - deaths / np.maximum(at_risk, 1))

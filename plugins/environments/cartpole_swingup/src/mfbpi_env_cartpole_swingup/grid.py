"""The fixed grid of 16^4 cells over (x, x', theta, theta') in which exploration is counted.

The ranges are the environment's own, so that what an agent scores does not depend on the agents it
is compared with. Values outside a range count in its first or last cell.

- x: the track, -3 to 3 m; an episode ends beyond it.
- x': -5 to 5 m/s. Uniformly random actions stay within 3 m/s; pushing one way from the centre to
  the edge ends at 7.5 m/s.
- theta: the circle, -pi to pi, 0 upright.
- theta': -10 to 10 rad/s. A pole that falls from upright passes its lowest point at
  sqrt(4 g / (4 l / 3)) = 7.7 rad/s if the cart stands still.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array

#: Cells along each variable.
BINS = 16

#: Half the length of the track, by which bsuite divides x and x' in its observations.
TRACK = 3.0

#: The variables and their ranges, in the order of the grid's axes.
RANGES: dict[str, tuple[float, float]] = {
    "x": (-TRACK, TRACK),
    "x_dot": (-5.0, 5.0),
    "theta": (-np.pi, np.pi),
    "theta_dot": (-10.0, 10.0),
}


def variables(observations: Array) -> npt.NDArray[np.float64]:
    """(x, x', theta, theta') of a batch of observations [n, 8]; float64 [n, 4]."""
    o = observations.astype(np.float64)
    theta = np.arctan2(o[:, 2], o[:, 3])
    return np.stack([TRACK * o[:, 0], TRACK * o[:, 1], theta, o[:, 4]], axis=1)


def cell_numbers(observations: Array) -> npt.NDArray[np.int64]:
    """Cell numbers of a batch of observations [n, 8], in C order of the grid; int64 [n]."""
    low, high = np.array(list(RANGES.values())).T
    place = np.floor((variables(observations) - low) / (high - low) * BINS)
    inside = np.clip(place, 0, BINS - 1).astype(np.int64)  # [n, 4]
    return np.ravel_multi_index(tuple(inside.T), (BINS,) * len(RANGES)).astype(np.int64, copy=False)

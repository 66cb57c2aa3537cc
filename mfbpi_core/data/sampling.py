"""Drawing from distributions by inversion, so that nothing of probability zero is ever drawn.

The index drawn for u, uniform on [0, 1), is the first whose cumulative probability exceeds u. An
entry of zero repeats the sum before it (or is 0, which no u is below), and so cannot be the first.
That leaves sums which rounding keeps below one: what they lack belongs to the last positive entry.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def closed_cdf(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cumulative sums over the last axis, infinite from the last positive entry on.

    Args:
        probabilities: [..., K], entries of 0 or more of which one at least is positive, in any
            place.

    Returns:
        float64 [..., K]. ``np.searchsorted(row, u, side="right")`` draws from a row, as does
        going through it until an entry exceeds u.
    """
    cdf = np.cumsum(probabilities, axis=-1)
    size = probabilities.shape[-1]
    positive = probabilities > 0.0
    last = size - 1 - np.argmax(positive[..., ::-1], axis=-1, keepdims=True)
    cdf[np.arange(size) >= last] = np.inf
    return cdf


def draw(probabilities: npt.NDArray[np.floating], u: float) -> int:
    """Draw an index from one distribution [K]; ``u`` is uniform on [0, 1).

    The same as with :func:`closed_cdf`, and faster for a distribution that is drawn from once.
    """
    index = int(np.searchsorted(np.cumsum(probabilities)[:-1], u, side="right"))
    while index > 0 and probabilities[index] == 0.0:
        index -= 1  # only the last entry can be reached by rounding alone
    return index

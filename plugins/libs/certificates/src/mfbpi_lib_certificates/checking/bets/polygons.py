"""Below the log capitals of pairs: convex polygons, and the smallest Lagrangian bound by them.

The log of a sum of exponentials of affine functions is convex, so above its tangents. With M_j the
largest of some of these, for every multiplier lambda >= 0,

    sum c_j mu_j <= lambda x + sum_j max over the interval of (c_j mu - lambda M_j(mu)),

each maximum at a corner. All functionals are treated at once: N of them, with J pairs each.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import FloatArray, IntArray

#: Tangents of a polygon, at equal distances from end to end.
TANGENTS = 12

#: Most steps of a search for multipliers.
STEPS = 60

#: Corners that differ by less, relative to what the threshold weighs, count as one.
TIED = 1e-9


def polygons(level: FloatArray, slopes: FloatArray, ends: FloatArray) -> FloatArray:
    """Corners of the largest of the tangents, places and heights, float64 [N, TANGENTS + 1, 2].

    Args:
        level: float64 [B, N], heights of the affine functions at the lower ends.
        slopes: float64 [B, N].
        ends: float64 [N, 2], intervals.
    """
    low, wide = ends[:, :1], np.diff(ends, axis=1)
    at = low + wide * np.arange(TANGENTS) / (TANGENTS - 1)  # [N, TANGENTS]
    at = np.minimum(at, ends[:, 1:])
    terms = level[:, :, None] + slopes[:, :, None] * (at - low)
    top = terms.max(axis=0)
    shares = np.exp(terms - top)
    total = shares.sum(axis=0)
    height, slope = top + np.log(total), (shares * slopes[:, :, None]).sum(axis=0) / total
    steps, steeper = np.diff(at), np.diff(slope)
    bends = steeper > 1e-12 * (np.abs(slope[:, 1:]) + np.abs(slope[:, :-1]))
    off = height[:, :-1] - height[:, 1:] + slope[:, 1:] * steps
    off = np.where(bends, off / np.where(bends, steeper, 1.0), 0.5 * steps)
    off = np.clip(off, 0.0, steps)
    between = np.maximum(
        height[:, :-1] + slope[:, :-1] * off, height[:, 1:] + slope[:, 1:] * (off - steps)
    )
    places = np.hstack([at[:, :1], at[:, :-1] + off, ends[:, 1:]])
    heights = np.hstack([height[:, :1], between, height[:, -1:]])
    return np.stack([places, heights], axis=-1)


@attrs.frozen(kw_only=True, eq=False)
class Lagrangian:
    """Functionals and the polygons of their pairs.

    Attributes:
        c: float64 [N, J], coefficients.
        corners: float64 [N, J, TANGENTS + 1, 2].
        x: float64 [N].
    """

    c: FloatArray
    corners: FloatArray
    x: FloatArray

    def at(self, multipliers: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """Bounds and slopes at multipliers, [N], and the corners that count, [N, J]."""
        places, heights = self.corners[..., 0], self.corners[..., 1]
        values = self.c[..., None] * places - multipliers[:, None, None] * heights
        most = values.max(axis=2)
        tied = (TIED * multipliers * self.x)[:, None, None]
        used = (values >= most[..., None] - tied).argmax(axis=2)
        spent = np.take_along_axis(heights, used[..., None], axis=2)[..., 0].sum(axis=1)
        return multipliers * self.x + most.sum(axis=1), self.x - spent, used

    def part(self, which: IntArray) -> Lagrangian:
        """Some of the functionals."""
        return Lagrangian(c=self.c[which], corners=self.corners[which], x=self.x[which])

    def smallest(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Smallest bounds, their multipliers, and the corners that count there.

        Where none is least, as capitals exceed x wherever the means may be, it is that of 0.
        """
        low = np.zeros(len(self.x))
        left, falling, _ = self.at(low)
        width = self.corners[:, :, -1, 0] - self.corners[:, :, 0, 0]
        high = (np.abs(self.c) * width).max(axis=1) / self.x
        right, rising, _ = self.at(high)
        ends = np.stack([low, left, falling, high, right, rising])  # [6, N]
        which = np.flatnonzero(falling < 0.0)
        self._bracket(ends, which[rising[which] < 0.0])
        none = ~((falling < 0.0) & (ends[5] >= 0.0))
        self._cross(ends, np.flatnonzero(~none))
        ends[:, none] = 0.0
        best = np.where(ends[1] < ends[4], ends[0], ends[3])
        bounds, _, used = self.at(best)
        return bounds, best, used

    def _bracket(self, ends: FloatArray, which: IntArray) -> None:
        """Double multipliers until bounds rise."""
        for _ in range(STEPS):
            if not len(which):
                break
            ends[:3, which] = ends[3:, which]
            ends[3, which] *= 2.0
            ends[4, which], ends[5, which], _ = self.part(which).at(ends[3, which])
            which = which[ends[5, which] < 0.0]

    def _cross(self, ends: FloatArray, which: IntArray) -> None:
        """Move ends to where their supporting lines cross, until bounds are on them."""
        for _ in range(STEPS):
            low, left, falling, high, right, rising = ends[:, which]
            crossing = low + (right - left - rising * (high - low)) / (falling - rising)
            go = (low < crossing) & (crossing < high)
            which, crossing = which[go], crossing[go]
            if not len(which):
                break
            on_lines = left[go] + falling[go] * (crossing - low[go])
            value, slope, _ = self.part(which).at(crossing)
            down = slope < 0.0
            found = np.stack([crossing, value, slope])
            ends[:3, which[down]] = found[:, down]
            ends[3:, which[~down]] = found[:, ~down]
            which = which[~(value <= on_lines + 1e-12 * np.abs(value))]

"""The largest value of a functional of means whose log capital is below its threshold.

    K_b(mu) = sum log(1 + b theta (u - mu)),   L = log sum_b v_b exp K_b,   sum_j L_j(mu_j) < x.

On an interval K_b, which is concave, is above its chord, and the log of the sum of exponentials of
chords above a convex polygon, by which :mod:`.polygons` bounds sums of means. Intervals are halved
where chords are far below; the bound is the largest over the parts. All functionals are treated at
once.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, FloatArray, IntArray
from mfbpi_lib_certificates.checking.bets.frozen import Frozen
from mfbpi_lib_certificates.checking.bets.points import Points, moments
from mfbpi_lib_certificates.checking.bets.polygons import TANGENTS, TIED, Lagrangian, polygons

#: Horizon of the stakes, in visits at the time.
HORIZON = 3.0

#: Sizes of the stakes, and their prior.
SIZES, PRIOR = (0.4, 1.0, 1.6), (0.2, 0.6, 0.2)

#: Most halvings of intervals, and the relative gain below which they end.
HALVINGS, GAIN = 8, 0.02

#: A place this near to an end, relatively, is not inside.
NEAR = 1e-6

#: Functionals by points that are held in memory at once.
_AT_ONCE = 400_000


def largest(frozen: Frozen, points: Points, intervals: FloatArray, chosen: slice) -> FloatArray:
    """Upper bounds of functionals of mu - mu_hat, float64 [chosen].

    Args:
        frozen: the bets.
        points: what came since.
        intervals: float64 [P, 2], where mu - mu_hat lies.
        chosen: which functionals.
    """
    now = frozen.coefficients(frozen.history.periods)[chosen]
    then = np.stack([frozen.coefficients(t)[chosen] for t in range(frozen.history.periods)])
    extra, x = frozen.extra[chosen], frozen.thresholds[chosen]
    size = max(1, _AT_ONCE // ((len(frozen.own) + 1) * points.weights.shape[1]))
    found = np.full(len(now), np.inf)
    for first in range(0, len(now), size):
        part = slice(first, first + size)
        bets = _Bets.on(frozen, points, now[part], then[:, part], extra[part], x[part], intervals)
        found[part] = bets.bounds()
    return found


def _inside(wanted: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """What is wanted where it is clearly inside of an interval; else the middle."""
    room = NEAR * (high - low)
    return np.where((low + room < wanted) & (wanted < high - room), wanted, 0.5 * (low + high))


@attrs.frozen(kw_only=True, eq=False)
class _Bets:
    """Functionals with their pairs: those of the policy and, last, a further one.

    Attributes:
        points: of all pairs.
        pairs: int64 [F, J].
        now: float64 [F, J], present coefficients.
        then: float64 [T, F, J], those of each plan.
        visits: float64 [T, F, J], at the time.
        variances: float64 [T, F, J], likewise.
        x: float64 [F].
        ends: float64 [F, J, 2], intervals.
    """

    points: Points
    pairs: IntArray
    now: FloatArray
    then: FloatArray
    visits: FloatArray
    variances: FloatArray
    x: FloatArray
    ends: FloatArray

    @classmethod
    def on(
        cls,
        frozen: Frozen,
        points: Points,
        now: FloatArray,
        then: FloatArray,
        extra: IntArray,
        x: FloatArray,
        intervals: FloatArray,
    ) -> _Bets:
        """The bets on some functionals."""
        there = (extra >= 0).astype(np.float64)[:, None]  # [F, 1]
        none = len(intervals)  # a pair without points
        further = np.where(extra >= 0, extra, none)[:, None]
        pairs = np.hstack([np.broadcast_to(frozen.own, now.shape), further])
        times = range(frozen.history.periods)
        visits = np.stack([np.append(frozen.visits(t), 1.0) for t in times])
        variances = np.stack([np.append(moments(frozen, t)[1], 0.0) for t in times])
        return cls(
            points=points,
            pairs=pairs,
            now=np.hstack([now, there]),
            then=np.concatenate([then, np.broadcast_to(there, (len(then), *there.shape))], axis=2),
            visits=visits[:, pairs],
            variances=variances[:, pairs],
            x=x,
            ends=np.vstack([intervals, np.zeros((1, 2))])[pairs],
        )

    def bounds(self) -> FloatArray:
        """Upper bounds, float64 [F]."""
        parts = _Parts.whole(self, self.stakes())
        first = parts.bounds[:, 0].copy()
        for used in range(1, HALVINGS + 1):
            top = parts.bounds[:, :used].max(axis=1) - TIED * np.abs(first)
            worst = (parts.bounds[:, :used] >= top[:, None]).argmax(axis=1)
            if not parts.halve(used, worst, first):
                break
        return np.asarray(parts.bounds.max(axis=1))

    def stakes(self) -> FloatArray:
        """Stakes of size 1, [T, F, J]."""
        spread = (self.then**2 * self.variances / self.visits).sum(axis=2)  # [T, F]
        best = np.sqrt(2.0 * (self.x + 1.5) * HORIZON / np.maximum(spread, 1e-300))
        size = np.where(spread > 0.0, best, 1e300)
        return np.asarray(-(self.then / (HORIZON * self.visits) * size[:, :, None]))


class _Parts:
    """The intervals of each functional, halved so far, with polygons below their log capitals."""

    def __init__(self, bets: _Bets, stakes: FloatArray) -> None:
        n, j = bets.now.shape
        self.bets, self.stakes = bets, stakes
        self.ends = np.zeros((n, HALVINGS + 1, j, 2))
        self.corners = np.zeros((n, HALVINGS + 1, j, TANGENTS + 1, 2))
        self.places = np.zeros((n, HALVINGS + 1, j))  # the corners that count
        self.above = np.zeros((n, HALVINGS + 1, j))  # how far L is above them
        self.bounds = np.full((n, HALVINGS + 1), -np.inf)
        self.multipliers = np.zeros((n, HALVINGS + 1))
        self.open: BoolArray = np.ones(n, dtype=np.bool_)

    @classmethod
    def whole(cls, bets: _Bets, stakes: FloatArray) -> _Parts:
        """All intervals in one part."""
        self = cls(bets, stakes)
        shape = bets.now.shape
        f, j = (each.reshape(-1) for each in np.indices(shape))
        self.ends[:, 0] = bets.ends
        found = self._polygons(f, j, bets.ends.reshape(-1, 2))
        self.corners[:, 0] = found.reshape(*shape, TANGENTS + 1, 2)
        everyone = np.arange(shape[0])
        self._bound(everyone, np.zeros_like(everyone))
        return self

    def halve(self, used: int, worst: IntArray, first: FloatArray) -> bool:
        """Halve the worst part of each functional where that may help; whether any was."""
        everyone = np.arange(len(worst))
        above = self.above[everyone, worst]
        j = above.argmax(axis=1)
        low, high = np.moveaxis(self.ends[everyone, worst, j], -1, 0)
        gain = above[everyone, j] * self.multipliers[everyone, worst]
        self.open &= (gain > GAIN * np.abs(first)) & (high > low)
        f = np.flatnonzero(self.open)
        if not len(f):
            return False
        part, j, low, high = worst[f], j[f], low[f], high[f]
        cut = _inside(self.places[f, part, j], low, high)
        for array in (self.ends, self.corners):
            array[f, used] = array[f, part]
        self.ends[f, part, j, 1] = cut
        self.ends[f, used, j, 0] = cut
        for place in (part, np.full(len(f), used)):
            self.corners[f, place, j] = self._polygons(f, j, self.ends[f, place, j])
            self._bound(f, place)
        return True

    def _bound(self, f: IntArray, part: IntArray) -> None:
        """Write the smallest bounds over multipliers, and where they are reached."""
        corners = self.corners[f, part]  # [N, J, TANGENTS + 1, 2]
        problem = Lagrangian(c=self.bets.now[f], corners=corners, x=self.bets.x[f])
        self.bounds[f, part], self.multipliers[f, part], used = problem.smallest()
        there = np.take_along_axis(corners, used[..., None, None], axis=2)[:, :, 0]  # [N, J, 2]
        self.places[f, part] = there[..., 0]
        functionals, j = np.broadcast_arrays(f[:, None], np.arange(used.shape[1]))
        terms = self._terms(functionals.reshape(-1), j.reshape(-1), there[..., 0].reshape(-1))
        peak = terms.max(axis=0)
        exact = (peak + np.log(np.exp(terms - peak).sum(axis=0))).reshape(used.shape)
        self.above[f, part] = exact - there[..., 1]

    def _polygons(self, f: IntArray, j: IntArray, ends: FloatArray) -> FloatArray:
        """Polygons of pairs of functionals on intervals, [N, TANGENTS + 1, 2]."""
        at_low, at_high = (self._terms(f, j, ends[:, side]) for side in (0, 1))
        width = ends[:, 1] - ends[:, 0]
        wide = width > 0.0
        slopes = np.where(wide, (at_high - at_low) / np.where(wide, width, 1.0), 0.0)
        return polygons(at_low, slopes, ends)

    def _terms(self, f: IntArray, j: IntArray, means: FloatArray) -> FloatArray:
        """log v_b + K_b of pairs of functionals at some means, [B, N]."""
        points, pairs = self.bets.points, self.bets.pairs[f, j]
        stake = self.stakes[points.periods[pairs], f[:, None], j[:, None]]  # [N, M]
        off = points.paid[pairs] - means[:, None]
        weights, most = points.weights[pairs], points.largest
        return np.stack(
            [
                np.log(share)
                + (weights * np.log1p(np.clip(size * stake, -most, most) * off)).sum(axis=1)
                for size, share in zip(SIZES, PRIOR, strict=True)
            ]
        )

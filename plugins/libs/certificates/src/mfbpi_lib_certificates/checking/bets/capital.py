"""The largest value of a functional of means whose log capital is below its threshold.

    K_b(mu) = sum log(1 + b theta (u - mu)),   L = log sum_b v_b exp K_b,   sum_j L_j(mu_j) < x.

On an interval K_b, which is concave, is above its chord, and the log of the sum of exponentials of
chords, which is convex, above its tangent: an affine minorant of L. With minorants a + s mu, for
every multiplier lambda >= 0,

    sum c_j mu_j <= lambda x + sum_j max over the interval of (c_j mu - lambda (a_j + s_j mu)).

Intervals are halved where chords are far below; the bound is the largest over the parts. All
functionals are treated at once.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, FloatArray, IntArray
from mfbpi_lib_certificates.checking.bets.frozen import Frozen
from mfbpi_lib_certificates.checking.bets.points import Points, moments

#: Horizons of the stakes, in visits at the time; each is an event of its own.
HORIZONS = (2.0, 8.0)

#: Sizes of the stakes, and their prior.
SIZES, PRIOR = (0.4, 1.0, 1.6), (0.2, 0.6, 0.2)

#: Most halvings of intervals, and the relative gain below which they end.
HALVINGS, GAIN = 8, 0.02

#: A place this near to an end, relatively, is not inside.
NEAR = 1e-6

#: Functionals by points that are held in memory at once.
_AT_ONCE = 400_000


def largest(frozen: Frozen, points: Points, intervals: FloatArray, chosen: slice) -> FloatArray:
    """Upper bounds of functionals of mu - mu_hat, the smaller of two horizons, float64 [chosen].

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
        found[part] = np.minimum.reduce([bets.bounds(m) for m in HORIZONS])
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

    def bounds(self, m: float) -> FloatArray:
        """Upper bounds by the stakes of one horizon, float64 [F]."""
        stakes, touches = self._planned(m)
        parts = _Parts.whole(self, stakes, touches)
        first = parts.bounds[:, 0].copy()
        for used in range(1, HALVINGS + 1):
            worst = parts.bounds[:, :used].argmax(axis=1)
            if not parts.halve(used, worst, first):
                break
        return np.asarray(parts.bounds.max(axis=1))

    def _planned(self, m: float) -> tuple[FloatArray, FloatArray]:
        """Stakes of size 1, [T, F, J], and the deviations that they are best against, [F, J]."""
        spread = (self.then**2 * self.variances / self.visits).sum(axis=2)  # [T, F]
        size = np.where(
            spread > 0.0, np.sqrt(2.0 * (self.x + 1.5) * m / np.maximum(spread, 1e-300)), 1e300
        )
        rates = self.then / (m * self.visits) * size[:, :, None]
        return -rates, rates[-1] * self.variances[-1]


class _Parts:
    """The intervals of each functional, halved so far; lines are (a, slope, how far L is above)."""

    def __init__(self, bets: _Bets, stakes: FloatArray, touches: FloatArray) -> None:
        n, j = bets.now.shape
        self.bets, self.stakes, self.touches = bets, stakes, touches
        self.ends = np.zeros((n, HALVINGS + 1, j, 2))
        self.lines = np.zeros((n, HALVINGS + 1, j, 3))
        self.bounds = np.full((n, HALVINGS + 1), -np.inf)
        self.multipliers = np.zeros((n, HALVINGS + 1))
        self.open: BoolArray = np.ones(n, dtype=np.bool_)

    @classmethod
    def whole(cls, bets: _Bets, stakes: FloatArray, touches: FloatArray) -> _Parts:
        """All intervals in one part."""
        self = cls(bets, stakes, touches)
        f, j = (each.reshape(-1) for each in np.indices(bets.now.shape))
        shape = bets.now.shape
        self.ends[:, 0] = bets.ends
        self.lines[:, 0] = self._lines(f, j, bets.ends.reshape(-1, 2)).reshape(*shape, 3)
        everyone = np.arange(shape[0])
        self.bounds[:, 0], self.multipliers[:, 0] = self._bound(everyone, np.zeros_like(everyone))
        return self

    def halve(self, used: int, worst: IntArray, first: FloatArray) -> bool:
        """Halve the worst part of each functional where that may help; whether any was."""
        everyone = np.arange(len(worst))
        above = self.lines[everyone, worst, :, 2]
        j = above.argmax(axis=1)
        low, high = np.moveaxis(self.ends[everyone, worst, j], -1, 0)
        gain = above[everyone, j] * self.multipliers[everyone, worst]
        self.open &= (gain > GAIN * np.abs(first)) & (high > low)
        f = np.flatnonzero(self.open)
        if not len(f):
            return False
        part, j, low, high = worst[f], j[f], low[f], high[f]
        cut = _inside(self.touches[f, j], low, high)
        for name in ("ends", "lines"):
            array = getattr(self, name)
            array[f, used] = array[f, part]
        self.ends[f, part, j, 1] = cut
        self.ends[f, used, j, 0] = cut
        for place in (part, np.full(len(f), used)):
            self.lines[f, place, j] = self._lines(f, j, self.ends[f, place, j])
            self.bounds[f, place], self.multipliers[f, place] = self._bound(f, place)
        return True

    def _bound(self, f: IntArray, part: IntArray) -> tuple[FloatArray, FloatArray]:
        """The smallest bound over multipliers, and the multiplier, [len(f)] each."""
        c, ends = self.bets.now[f], self.ends[f, part]  # [N, J], [N, J, 2]
        level, slope = self.lines[f, part, :, 0], self.lines[f, part, :, 1]
        crossing = np.divide(c, slope, out=np.zeros_like(c), where=slope != 0.0)
        good = (crossing > 0.0) & np.isfinite(crossing)
        crossing = np.where(good, crossing, 0.0)
        tried = np.hstack([np.zeros((len(f), 1)), crossing, 10.0 * crossing.max(axis=1)[:, None]])
        left = c[:, None] - tried[:, :, None] * slope[:, None]  # [N, tried, J]
        most = np.maximum(left * ends[:, None, :, 0], left * ends[:, None, :, 1])
        total = tried * self.bets.x[f][:, None]
        total = total + (most - tried[:, :, None] * level[:, None]).sum(axis=2)
        best = total.argmin(axis=1)
        everyone = np.arange(len(f))
        return total[everyone, best], tried[everyone, best]

    def _lines(self, f: IntArray, j: IntArray, ends: FloatArray) -> FloatArray:
        """Minorants of pairs of functionals on intervals, [N, 3]."""
        low, high = ends[:, 0], ends[:, 1]
        touch = _inside(self.touches[f, j], low, high)
        found = [self._capitals(f, j, where) for where in (low, high, touch)]
        at_low, at_high, at_touch = (each + np.log(PRIOR)[:, None] for each in found)  # [B, N]
        wide = high > low
        width = np.where(wide, high - low, 1.0)
        slopes = np.where(wide, (at_high - at_low) / width, 0.0)
        terms = at_low + slopes * (touch - low)
        top = terms.max(axis=0)
        shares = np.exp(terms - top)
        height = top + np.log(shares.sum(axis=0))
        slope = (shares * slopes).sum(axis=0) / shares.sum(axis=0)
        peak = at_touch.max(axis=0)
        true = peak + np.log(np.exp(at_touch - peak).sum(axis=0))
        return np.stack([height - slope * touch, slope, true - height], axis=1)

    def _capitals(self, f: IntArray, j: IntArray, means: FloatArray) -> FloatArray:
        """K_b of pairs of functionals at some means, [B, N]."""
        points, pairs = self.bets.points, self.bets.pairs[f, j]
        stake = self.stakes[points.periods[pairs], f[:, None], j[:, None]]  # [N, M]
        off = points.paid[pairs] - means[:, None]
        weights, most = points.weights[pairs], points.largest
        return np.stack(
            [
                (weights * np.log1p(np.clip(size * stake, -most, most) * off)).sum(axis=1)
                for size in SIZES
            ]
        )

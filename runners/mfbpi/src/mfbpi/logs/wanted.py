"""How many more samples of which pairs would close a gap, if frequencies stay as they are.

Counts are made larger, half as many again of one pair at a time, of that which brings most for a
sample, until the rule stops. No forecast is certain: what comes is judged by the rule again. A
short log may take the wrong policy for the best, and nearly all samples would go where it decides:
of a long forecast only a part is worth collecting before asking again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.stopping import Verdict
from mfbpi_core.data.counts import Counts

#: Of a pair, by what its visits grow at a time.
GROWTH = 1.5

#: Most checks that are spent.
CHECKS = 3_000

#: Samples of a pair that was never visited.
FIRST = 100

#: Most samples to be collected before asking again, as a share of those that the log has.
BATCH = 0.5


def more(
    counts: Counts, check: Callable[[Counts], Verdict], scope: str
) -> tuple[npt.NDArray[np.int64], bool]:
    """Further visits of each pair, int64 [S, A], and whether they are forecast to be enough.

    Args:
        counts: what was seen.
        check: a rule that looks at counts alone.
        scope: the states that matter.
    """
    visits = counts.visits
    unseen = (visits == 0) & counts.in_scope(scope)[:, None]
    if unseen.any():
        return np.where(unseen, FIRST, 0), False
    now, verdict, spent = counts, check(counts), 1
    while not verdict.stop and spent < CHECKS:
        pairs = np.argwhere(now.visits > 0)
        tried = [_grown(now, int(s), int(a)) for s, a in pairs]
        verdicts = [check(each) for each in tried]
        spent += len(pairs)
        cost = np.array([each.steps - now.steps for each in tried])
        gain = np.array([_open(verdict) - _open(each) for each in verdicts]) / cost
        best = int(gain.argmax())
        if gain[best] > 0.0:
            now, verdict = tried[best], verdicts[best]
        else:
            now = _grown(now)
            verdict, spent = check(now), spent + 1
    return np.asarray(now.visits - visits), verdict.stop


def batch(more: npt.NDArray[np.int64], steps: int) -> npt.NDArray[np.int64]:
    """What to collect before asking again, int64 [S, A]: all that is wanted, or its share.

    Args:
        more: int64 [S, A], see :func:`more`.
        steps: of the log.
    """
    most = max(BATCH * steps, float(FIRST * more.size))
    share = min(1.0, most / max(int(more.sum()), 1))
    return np.ceil(share * more).astype(np.int64)


def _open(verdict: Verdict) -> float:
    """What is still open: the certified gap, and the largest advantage, which may be negative."""
    margin = verdict.margin
    if margin is None or verdict.policy is None:
        return np.inf
    rivals = np.ones(margin.shape, dtype=np.bool_)
    rivals[np.arange(len(margin)), verdict.policy] = False
    return float(np.maximum(-margin[rivals], 0.0).sum()) + verdict.gap


def _grown(counts: Counts, *pair: int) -> Counts:
    """Counts with more visits of one pair, or of all, in the same proportions."""
    grown = copy.deepcopy(counts)
    state = grown.state_dict()
    visits, places = state["_visits"], state["_places"]
    codes = np.arange(len(visits)) if places is None else places
    of = codes // counts.n_outcomes
    chosen = of == pair[0] * counts.n_actions + pair[1] if pair else np.ones(len(of), dtype=bool)
    after = np.where(chosen, np.ceil(GROWTH * visits), visits).astype(np.int64)
    state["_rewards"] = state["_rewards"] * (after / np.maximum(visits, 1))
    state["steps"] = int(counts.steps + (after - visits).sum())
    state["_visits"] = after
    grown.load_state_dict(state)
    return grown

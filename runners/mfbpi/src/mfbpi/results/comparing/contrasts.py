"""What a comparison says of two agents, and of several: as data, and as a table."""

from __future__ import annotations

from typing import Any

import attrs
import pyarrow as pa

from mfbpi.results import frames
from mfbpi.results.summary_text import Shown
from mfbpi_core.running.stopping import STOPPING_TIME
from mfbpi_lib_statistics.intervals import LEVEL

#: The headings of :attr:`Contrast.cells`.
COLUMNS = (
    *("env", "agent", "against", "n", "difference", f"{100 * LEVEL:g} % interval"),
    *("P(>)", "p", "verdict"),
)

#: How a contrast's samples belong together.
BY_SEED, INDEPENDENT = "by seed", "independent"


@attrs.frozen(kw_only=True)
class Contrast:
    """Two agents in one environment.

    Attributes:
        env: label of the environment.
        agent: label of an agent.
        against: label of the other one.
        n: number of runs of the first, or of pairs.
        n_against: number of runs of the other, or of pairs.
        pairs: "by seed" or "independent".
        difference: mean of the first less that of the other; of a stopping time, and of when a
            level is reached, of its ranks among the runs of the two.
        low: end of the interval of the difference, at 95 % each; None for a single run.
        high: its other end.
        superiority: estimate of the probability that a run of the first gives more than one of the
            other; equal ones count half.
        p: of the two-sided permutation test.
        least: the smallest p that so many runs can have.
        p_corrected: p, corrected by Holm's method for all contrasts of the comparison.
        level: what it must not exceed for a verdict.
    """

    env: str
    agent: str
    against: str
    n: int
    n_against: int
    pairs: str
    difference: float
    low: float | None
    high: float | None
    superiority: float
    p: float
    least: float
    p_corrected: float
    level: float

    @property
    def verdict(self) -> str:
        """``"higher"`` or ``"lower"``, of the first agent; ``"not significant"``."""
        if not self.p_corrected <= self.level:
            return "not significant"
        return "higher" if self.difference > 0 else "lower"

    @property
    def cells(self) -> tuple[object, ...]:
        """What a table shows, see :data:`COLUMNS`."""
        n = str(self.n) if self.n == self.n_against else f"{self.n}, {self.n_against}"
        ends = "" if self.low is None else f"[{self.low:.4g}, {self.high:.4g}]"
        numbers = f"{self.difference:.4g}", ends, f"{self.superiority:.3g}"
        return (self.env, self.agent, self.against, n, *numbers, _p(self.p_corrected), self.verdict)


@attrs.frozen(kw_only=True)
class Comparison(Shown):
    """All contrasts of one question, corrected for being several.

    Attributes:
        metric: what was compared.
        contrasts: in the order in which environments and agents appear.
        notes: what else a reader should know.
        reaches: the level whose first step was compared, such as ``">= 0.99"``; None where it was
            the metric at the end of each run.
    """

    metric: str
    contrasts: list[Contrast]
    notes: list[str]
    reaches: str | None = None

    @property
    def caption(self) -> str:
        """What the numbers are."""
        kinds = {each.pairs for each in self.contrasts}
        how = "pairs " + BY_SEED if kinds == {BY_SEED} else f"{INDEPENDENT} runs"
        if len(kinds) > 1:
            how = "pairs by seed where both agents have the same seeds, else independent runs"
        compared, what = self._compared
        return (
            f"{compared}. Differences of the {what}, agent less the one "
            f"it is compared against, each with its own {100 * LEVEL:g} % t-interval; p: two-sided "
            f"permutation test ({how}), corrected by Holm's method "
            f"({counted(len(self.contrasts))})."
        )

    @property
    def _compared(self) -> tuple[str, str]:
        """What a run gives, and of what there are differences."""
        if self.reaches is not None:
            kept = f"The first evaluation from which on {self.metric} {self.reaches} until the end"
            return (
                f"{kept} of the run; runs without one come last",
                "mean rank of that step (higher: later)",
            )
        ranked = self.metric == STOPPING_TIME
        what = "mean rank of the stopping time" if ranked else "mean"
        return f"{self.metric} at the end of each run", what

    def to_pandas(self) -> Any:
        """A row for each contrast, numbers unrounded; raises :class:`UsageError` without pandas."""
        rows = [{**attrs.asdict(each), "verdict": each.verdict} for each in self.contrasts]
        return frames.frame(pa.Table.from_pylist(rows))

    @property
    def shown(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], list[str]]:
        """Headings, rows, and the lines below them."""
        return COLUMNS, [each.cells for each in self.contrasts], [self.caption, *self.notes]


def counted(n: int) -> str:
    """So many contrasts."""
    return "1 contrast" if n == 1 else f"{n} contrasts"


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else "<0.0001"

"""What results offer to tell agents apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from mfbpi.results import failures as failing
from mfbpi.results import summary as summaries
from mfbpi_core.plugins.registry import Registry

if TYPE_CHECKING:
    from mfbpi.results.comparing.contrasts import Comparison
    from mfbpi.results.comparing.reaching import Reached
    from mfbpi.results.failures import Failure
    from mfbpi.results.storage.reading import Result


class Compared:
    """Comparisons of agents, of whoever has found runs and knows which failed."""

    found: tuple[Result, ...]
    failures: tuple[Failure, ...]

    def compare(
        self,
        metric: str,
        *,
        reaches: str | float | None = None,
        baseline: str | None = None,
        contrasts: Sequence[tuple[str, str]] = (),
        pairs: str | None = None,
        level: float = 0.05,
    ) -> Comparison:
        """Which agent is better: permutation tests over seeds, corrected for being several.

        The contrasts of one call are one family: Holm's correction keeps the probability of any
        false verdict among them at ``level``, so name the metric and the contrasts first.

        Args:
            metric: the column to compare, at the end of each run. Of ``"stopping_time"``, ranks
                among the runs of the two agents of a contrast.
            reaches: compare instead after how many steps the column is at a level for good, by
                ranks: ``">=0.99"``, ``"<=0.05"``, or a number, which means ``>=``. Runs that are
                not there at their end come last; see :meth:`reached`.
            baseline: label of the agent that the others are compared against; None for each with
                each.
            contrasts: the pairs of agents to compare, and no others; fewer leave more power.
            pairs: ``"by seed"`` or ``"independent"``; None for pairs where two agents have the same
                seeds, which then share the noise of the environment.
            level: of significance, between 0 and 1.

        Raises:
            UsageError: when there is nothing to compare, when runs differ in more than agent and
                seed, and when ``reaches`` is no level.
        """
        from mfbpi.results.comparing import compare  # its tests take a second to import

        found = compare.compare(
            self.found,
            metric,
            measuring=summaries.measuring(Registry.discover(), metric),
            reaches=reaches,
            baseline=baseline,
            contrasts=contrasts,
            pairs=pairs,
            level=level,
        )
        return attrs.evolve(found, notes=[*found.notes, *self._failures_noted()])

    def reached(self, metric: str, reaches: str | float) -> Reached:
        """After how many steps each run had a column at a level, and kept it there until its end.

        Args:
            metric: the column, such as ``"value_ratio"``.
            reaches: the level: ``">=0.99"``, ``"<=0.05"``, or a number, which means ``>=``. It is
                compared exactly with what was measured.

        Returns:
            A line for each run: ``agent, env, seed, step, end, horizon, eval_every``. ``step`` is
            the first evaluation from which on the level was kept, and None where the run ended
            short of it: all that is known then is that it takes more than ``end`` steps. It is
            known as closely as the run was evaluated, every ``eval_every`` steps.

        Raises:
            UsageError: when ``reaches`` is no level, or no run has the column at its end.

        Example:
            >>> import mfbpi
            >>> results = mfbpi.run(
            ...     ["mf_bpi", "uniform"], "riverswim", seeds=range(2), steps=2_000, eval_every=100,
            ...     metrics="value_error", out="results/reached", executor="serial",
            ... )
            >>> [run.horizon for run in results.reached("value_ratio", ">=0.5").runs]
            [2000, 2000, 2000, 2000]
        """
        from mfbpi.results.comparing import levels, reaching

        found = reaching.reached(self.found, metric, levels.Level.of(reaches))
        failed = failing.noted(self.failures, [each.task for each in self.found])
        return attrs.evolve(found, notes=[*found.notes, *failed])

    def _failures_noted(self) -> Iterator[str]:
        failed = Counter(
            (each.task.agent.shown, each.task.environment.shown) for each in self.failures
        )
        for (agent, env), n in failed.items():
            yield f"{n} runs of {agent} on {env} failed: what they would have given is not compared"

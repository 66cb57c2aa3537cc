"""Regret: how much worse than optimal the actions were that a run has taken so far.

    Delta(s, a) = V*(s) - Q*(s, a),
    regret      = sum_t Delta(s_t, a_t) = sum_{s, a} N(s, a) Delta(s, a),
    regret_mean = regret / t,

with V* and Q* the optimal values of the environment's exact model at the discount gamma of the
problem, (s_t, a_t) the pair of step t, and N(s, a) how often each pair was taken in the t steps so
far.

**What it is.** A gap is what an action costs whoever acts optimally ever after. By the
performance-difference lemma, for actions chosen in whatever way from s_0 on, without a time limit,

    V*(s_0) - E[sum_t gamma^t r_t] = E[sum_t gamma^t Delta(s_t, a_t)],

so that the gaps, discounted from s_0, are what was lost there. The metric adds them up without a
discount: every step is charged as if it were the first.

**What it is not.** It is not the average-reward regret T rho* - sum_t r_t, nor a difference of any
other sums of rewards: those follow the noise of rewards and transitions, and this one is 0 for
optimal actions, wherever they are taken. Its size depends on gamma: the nearer to 1, the more of
what follows from an action is in its gap.

Which actions are optimal is what :func:`mfbpi_lib_tabular.solution.gaps.separate` finds. Their gaps
are exactly 0, also where actions tie, and where a gap is so small that nothing tells it from 0. The
sum is made of the counts, which are integers: it is the same however the steps came in batches.

Source: Kakade & Langford 2002, "Approximately Optimal Approximate Reinforcement Learning", Lemma
6.1.
"""

from __future__ import annotations

import functools

import numpy as np

from mfbpi_core import NoConfig, Snapshot
from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_lib_tabular.learning.pairs import PairMetric
from mfbpi_lib_tabular.solution import gaps, planning


class Regret(PairMetric[NoConfig]):
    """The metric ``regret``.

    Both columns at every step; ``regret_mean`` from the first one on.

    Attributes:
        model: the exact model.
        counts: N, int64 [S, A], steps in which each pair was taken.

    Raises:
        RequirementError: when the environment has no exact model or no integer states.
    """

    @functools.cached_property
    def delta(self) -> FloatArray:
        """Delta, float64 [S, A], 0 or more, solved for when first asked for.

        Exactly 0 for optimal actions and in terminal states.

        Raises:
            SolverError: when the optimum is not found.
        """
        discount = self.problem.discount
        plan = planning.solve(self.model, discount, rough=True)  # refined next
        found = gaps.separate(self.model, plan, discount)
        return np.where(found.optimal, 0.0, found.gaps)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:  # noqa: ARG002
        """Columns ``regret`` and ``regret_mean``."""
        total, steps = float(self._pair_regret().sum()), int(self.counts.sum())
        found = {"regret": total}
        if steps:
            found["regret_mean"] = total / steps
        return found

    def arrays(self) -> dict[str, Array]:
        """``pair_regret``: N Delta, float64 [S, A], what each pair has contributed."""
        return {"pair_regret": self._pair_regret()}

    def _pair_regret(self) -> FloatArray:
        return self.counts * self.delta

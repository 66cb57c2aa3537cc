"""Stop once no model in the box of all that the counts allow has a better policy.

The box is a ball of laws and an interval of mean rewards for each pair, jointly right at all times
with probability 1 - delta; see :mod:`mfbpi_lib_confidence.box`. Whether the policy that is optimal
for the empirical model is the best in every model of the box, or loses at most epsilon, is the
evaluation of :mod:`mfbpi_lib_confidence.kl_box`, with its proof. It rests on the counts alone: how
actions were chosen does not matter, nor when one looks.

While a pair in scope was never visited there is nothing to evaluate: the gap is the trivial one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts, NoConfig, Problem, Scope, StoppingRule, TabularMDP, Verdict
from mfbpi_lib_certificates import storage
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.certified import Question, certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation, evaluate
from mfbpi_lib_confidence.questions import require_answerable

#: Pairs that are named where none was visited.
SHOWN = 5


class KLBox(StoppingRule[NoConfig]):
    """The rule; see the module.

    Raises:
        ConfigError: for rewards without limits, or epsilon = 0 with a smaller scope than all.
    """

    def __init__(
        self,
        problem: Problem,
        config: NoConfig,
        delta: float,
        epsilon: float,
        scope: Scope = "all",
    ) -> None:
        super().__init__(problem, config, delta, epsilon, scope)
        require_answerable(problem, epsilon, scope, "kl_box")

    def check(self, counts: Counts) -> Verdict:
        """The box at these counts."""
        matter = counts.in_scope(self.scope)
        unseen = np.argwhere((counts.visits == 0) & matter[:, None])
        if len(unseen):
            return self._nothing(f"never visited: {_listed(unseen)}")
        found = evaluate(
            Evidence.from_counts(counts, self.problem.reward_range),
            discount=self.problem.discount,
            delta=self.delta,
            epsilon=self.epsilon,
            scope=matter,
        )
        return Verdict(
            stop=found.identified,
            policy=found.policy,
            gap=found.certified_gap,
            margin=found.margin,
            reason=found.reason,
            evidence=found,
        )

    def _nothing(self, reason: str) -> Verdict:
        """What holds before anything is seen: no policy loses more than the range of values."""
        low, high = self.problem.reward_range
        trivial = (max(high, 0.0) - min(low, 0.0)) / (1.0 - self.problem.discount)
        return Verdict(stop=False, policy=None, gap=trivial, reason=reason)

    def contains(self, counts: Counts, mdp: TabularMDP) -> bool:
        """Whether a model is in the box of these counts."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        box = Box.around(evidence, Thresholds.split(evidence, self.delta))
        return box.contains(mdp.transitions, mdp.mean_rewards)

    def certificate(
        self,
        counts: Counts,
        verdict: Verdict,
        *,
        version: str,
        task: Mapping[str, Any] | None,
    ) -> dict[str, bytes]:
        """The certificate of a verdict that was just given; nothing where nothing was evaluated."""
        if not isinstance(verdict.evidence, Evaluation):
            return {}
        question = Question(
            discount=self.problem.discount,
            delta=self.delta,
            epsilon=self.epsilon,
            scope=self.scope,
            start=counts.start,
            cuts=counts.cuts,
            version=version,
            task=task,
        )
        return storage.contents(certificate(verdict.evidence, question))


def _listed(pairs: npt.NDArray[np.int64]) -> str:
    named = ", ".join(f"({s}, {a})" for s, a in pairs[:SHOWN].tolist())
    return f"{named} and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else named

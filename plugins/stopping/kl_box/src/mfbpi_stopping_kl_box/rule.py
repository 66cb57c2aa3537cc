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

import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts, NoConfig, TabularMDP, Verdict
from mfbpi_lib_certificates import storage
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.certified import certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation, evaluate
from mfbpi_lib_confidence.rules import BoxRule


class KLBox(BoxRule[NoConfig]):
    """The rule; see the module."""

    called = "kl_box"

    def judge(self, counts: Counts, scope: npt.NDArray[np.bool_]) -> Verdict:
        """The box at these counts."""
        found = evaluate(
            Evidence.from_counts(counts, self.problem.reward_range),
            discount=self.problem.discount,
            delta=self.delta,
            epsilon=self.epsilon,
            scope=scope,
        )
        return self.verdict(found, evidence=found)

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
        task: Mapping[str, object] | None,
    ) -> dict[str, bytes]:
        """The certificate of a verdict that was just given; nothing where nothing was evaluated."""
        if not isinstance(verdict.evidence, Evaluation):
            return {}
        question = self.question(counts, version=version, task=task)
        return storage.contents(certificate(verdict.evidence, question))

"""What stopping rules that rest on counts share: nothing is said while a pair was never visited.

Before that there is no evidence about some pair in scope, and the gap is the trivial one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts, Problem, Scope, StoppingRule, Verdict
from mfbpi_core.contracts.configured import C
from mfbpi_lib_confidence.certified import Question
from mfbpi_lib_confidence.questions import require_answerable
from mfbpi_lib_confidence.verdicts import places

if TYPE_CHECKING:
    from mfbpi_lib_confidence.kl_box import Evaluation


class CountsRule(StoppingRule[C]):
    """A rule that judges once every pair in scope was visited."""

    def check(self, counts: Counts) -> Verdict:
        """The verdict at these counts; none while a pair in scope was never visited."""
        scope = counts.in_scope(self.scope)
        unseen = np.argwhere((counts.visits == 0) & scope[:, None])
        if len(unseen):
            reason = f"never visited: {places(unseen)}"
            return Verdict(stop=False, policy=None, gap=self.trivial_gap, reason=reason)
        return self.judge(counts, scope)

    @abstractmethod
    def judge(self, counts: Counts, scope: npt.NDArray[np.bool_]) -> Verdict:
        """The verdict where every pair of the states in ``scope``, bool [S], was visited."""

    @property
    def trivial_gap(self) -> float:
        """What holds before anything is seen: no policy loses more than the range of values."""
        low, high = self.problem.reward_range
        return (max(high, 0.0) - min(low, 0.0)) / (1.0 - self.problem.discount)


class BoxRule(CountsRule[C]):
    """One whose proof rests on a box around the counts.

    Raises:
        ConfigError: for rewards without limits, or epsilon = 0 with a smaller scope than all.
    """

    #: What messages call the rule.
    called: ClassVar[str]

    def __init__(
        self,
        problem: Problem,
        config: C,
        delta: float,
        epsilon: float,
        scope: Scope = "all",
    ) -> None:
        super().__init__(problem, config, delta, epsilon, scope)
        require_answerable(problem, epsilon, scope, self.called)

    @staticmethod
    def verdict(found: Evaluation, evidence: object) -> Verdict:
        """What was found, with the evidence that a certificate of it needs."""
        return Verdict(
            stop=found.identified,
            policy=found.policy,
            gap=found.certified_gap,
            margin=found.margin,
            reason=found.reason,
            evidence=evidence,
        )

    def question(self, counts: Counts, *, version: str, task: Mapping[str, Any] | None) -> Question:
        """What was asked, for a certificate."""
        return Question(
            rule=self.called,
            discount=self.problem.discount,
            delta=self.delta,
            epsilon=self.epsilon,
            scope=self.scope,
            start=counts.start,
            cuts=counts.cuts,
            version=version,
            task=task,
        )

"""A certificate: data, the question, the answer, and numbers that prove the answer.

Pair j is (s, a) with j = s A + a. Outcomes of a pair are the states, and one more, number S, where
a task may end in no declared state. "Live" states are those that are not terminal.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Name and version of the format.
SCHEMA = "mfbpi-certificate/1"

#: Beyond, rounding of one backup, over 1 - gamma, is no longer small against the slack.
LARGEST_DISCOUNT = 1.0 - 1e-6

#: Shares of a smaller risk may vanish in double precision, and their logarithms are needed.
LEAST_RISK = 1e-200

#: What has to be true for the numbers to mean something, and no file can show.
ASSUMPTIONS = (
    "the instance is a Markov decision process, and rewards lie in the declared range",
    "states, actions, the rewards' range and law, and where a task may end, were fixed beforehand",
    "every transition was counted, in order, none left out by its outcome",
    "the counts are those of real interaction: a consistent invention cannot be told from data",
)


@attrs.frozen(kw_only=True, eq=False)
class Certificate:
    """What a rule found, from which data, and what proves it.

    Attributes:
        rule: name of the rule.
        version: of the software that wrote it.
        parameters: of the rule.
        n_states: S.
        n_actions: A.
        discount: gamma.
        delta: risk.
        epsilon: accepted loss; 0 asks for an optimal policy.
        scope: states that matter: "all", "visited" or "initial".
        reward_range: declared lowest and highest reward.
        reward_law: "any", or "deterministic" given (s, a, s').
        may_end: whether a task may end elsewhere than in a terminal state.
        terminal: bool [S].
        start: int64 [S], how often an episode began in each state.
        cuts: how many episodes were cut short, without an end of the task.
        steps: number of transitions.
        row_starts: int64 [S A + 1]; pair j holds the entries ``row_starts[j]`` to
            ``row_starts[j + 1]``.
        outcomes: int64 [E], the outcome of each entry, increasing within a pair.
        counts: int64 [E], how often it was seen.
        rewards: float64 [S, A], sums of rewards.
        known_rewards: float64 [E], the reward of each entry where the law is deterministic.
        identified: whether the policy is certified.
        reason: in words.
        policy: int64 [S].
        gap: float64 [S], bound of the policy's loss.
        certified_gap: its largest in scope.
        delta_spent: risk of the events on which all this rests.
        witnesses: numbers and arrays that prove it, by name; what they are depends on the rule.
        task: what reruns the interaction; None where nothing does.
        assumptions: in words.
    """

    rule: str
    version: str
    parameters: Mapping[str, object]
    n_states: int
    n_actions: int
    discount: float
    delta: float
    epsilon: float
    scope: str
    reward_range: tuple[float, float]
    reward_law: str
    may_end: bool
    terminal: BoolArray
    start: IntArray
    cuts: int
    steps: int
    row_starts: IntArray
    outcomes: IntArray
    counts: IntArray
    rewards: FloatArray
    known_rewards: FloatArray | None
    identified: bool
    reason: str
    policy: IntArray
    gap: FloatArray
    certified_gap: float
    delta_spent: float
    witnesses: Mapping[str, FloatArray]
    task: Mapping[str, object] | None = None
    assumptions: tuple[str, ...] = ASSUMPTIONS

    @property
    def n_pairs(self) -> int:
        """S A."""
        return self.n_states * self.n_actions

    @property
    def n_outcomes(self) -> int:
        """K: the states, and the ending where there may be one."""
        return self.n_states + self.may_end

    @property
    def rows(self) -> IntArray:
        """Number of the pair of each entry, int64 [E]."""
        return np.repeat(np.arange(self.n_pairs), np.diff(self.row_starts))

    @property
    def visits(self) -> IntArray:
        """N(s, a), int64 [S A]."""
        total = np.concatenate([[0], np.cumsum(self.counts)])
        return np.diff(total[self.row_starts]).astype(np.int64)

    @property
    def live(self) -> IntArray:
        """Numbers of the states that are not terminal."""
        return np.flatnonzero(~self.terminal)

    @property
    def value_scale(self) -> float:
        """Range of the rewards with 0, that of terminal states, in it."""
        low, high = self.reward_range
        return max(high, 0.0) - min(low, 0.0)

    @property
    def slack(self) -> float:
        """By how much a rule's verdict must be clear: far above what rounding does."""
        return 1e-9 * self.value_scale / (1.0 - self.discount)

    def in_scope(self) -> BoolArray:
        """States that matter, bool [S]."""
        alive = ~self.terminal
        if self.scope == "visited":
            return alive & (self.visits.reshape(self.n_states, -1).sum(axis=1) > 0)
        return alive & (self.start > 0) if self.scope == "initial" else alive

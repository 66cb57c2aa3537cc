"""A stopping rule that keeps every rule of the kit: enough visits of every pair, and greedy."""

import numpy as np

from mfbpi_core import StoppingRule, Verdict


class Enough(StoppingRule):
    """Its gap falls with the visits of the rarest pair; it remembers how often it was asked."""

    def __init__(self, problem, config, delta, epsilon, scope="all"):
        super().__init__(problem, config, delta, epsilon, scope)
        self.asked = 0

    def check(self, counts):
        """Stops once the gap is below epsilon."""
        self.asked += 1
        visits = counts.visits
        missing = np.argwhere((visits == 0) & counts.in_scope(self.scope)[:, None]).tolist()
        if missing:
            named = ", ".join(f"({s}, {a})" for s, a in missing)
            return Verdict(stop=False, policy=None, gap=10.0, reason=f"never visited: {named}")
        gap = min(10.0, 40.0 / visits.min() ** 0.5)
        return Verdict(
            stop=bool(gap <= self.epsilon),
            policy=self.greedy(counts),
            gap=gap,
            reason=f"asked {self.asked} times",
        )

    def greedy(self, counts):
        """The action of largest mean reward."""
        found = counts.entries()
        sums = np.bincount(found.pairs, found.rewards, counts.n_states * counts.n_actions)
        return (sums.reshape(counts.visits.shape) / counts.visits).argmax(axis=1).astype(np.int64)

"""The bound that keeps every rule."""

import numpy as np

from mfbpi_core import Bound, BoundSolution


class WeakestPair(Bound):
    """max h(s, a) / w(s, a) with h = 1 / gap^2, and 1 / least gap^2 for optimal actions."""

    def hardness(self, mdp):
        """h [S, A] by value iteration; None where gaps are tied."""
        value = np.zeros(mdp.n_states)
        for _ in range(250):
            q = mdp.mean_rewards + self.discount * mdp.transitions @ value
            value = q.max(axis=1)
        gaps = value[:, None] - q
        optimal = gaps <= 1e-9
        if (optimal.sum(axis=1) > 1).any():
            return None
        return np.where(optimal, gaps[~optimal].min(), gaps) ** -2.0

    def evaluate(self, mdp, allocation):
        """The largest h / w."""
        h = self.hardness(mdp)
        if h is None:
            return np.inf
        with np.errstate(divide="ignore"):
            return float((h / allocation).max())

    def solve(self, mdp, constraint="generative"):
        """Proportional to h, or the linear programme that navigation makes of it."""
        h = self.hardness(mdp)
        if h is None:
            return self.solution(np.inf, None, status="infinite", reason="tied actions")
        omega = h / h.sum() if constraint == "generative" else self.walked(mdp, h)
        return self.solution(self.evaluate(mdp, omega), omega)

    def walked(self, mdp, h):
        """Least sum(w) with w >= h and balanced flow, normalised."""
        from scipy.optimize import linprog

        n_states, n_actions = h.shape
        flow = np.repeat(np.eye(n_states), n_actions, axis=1)
        flow -= mdp.transitions.reshape(n_states * n_actions, n_states).T
        bounds = [(low / h.max(), None) for low in h.ravel()]
        found = linprog(np.ones(h.size), A_eq=flow, b_eq=np.zeros(n_states), bounds=bounds)
        return (found.x / found.x.sum()).reshape(h.shape)

    def solution(self, value, omega, **changes):
        """A solution without details."""
        rest = {"status": "optimal", "relative_gap": 0.0, "residual": 0.0, "solver": "kit"}
        return BoundSolution(value=value, allocation=omega, **{**rest, **changes})

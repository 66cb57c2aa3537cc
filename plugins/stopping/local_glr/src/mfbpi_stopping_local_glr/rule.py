"""Stop where every rival's local likelihood ratio exceeds log(1 / delta). Without any guarantee.

What is tested is whether some model near the empirical one makes a rival as good as the policy's
action. To first order the least sum of n KL over such models is

    Z_i = gap_i^2 / (2 Q_i),    Q_i = sum_j c_ij^2 v_j / n_j,

c_i the coefficients of the advantage of the rival in the means of all pairs, v_j the empirical
variance of r + gamma V(s') at pair j. It is an upper bound of the infimum at best, a look at every
check costs nothing here, and no set pays for what was not seen: the rule stops early and is wrong
too often. It exists so that audits can be seen to find that (``mfbpi audit --near-tie``).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts, NoConfig, TabularMDP, Verdict
from mfbpi_lib_confidence.betting.points import points_of
from mfbpi_lib_confidence.divergences import divergences
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import empirical_model, empirical_reference
from mfbpi_lib_confidence.rules import CountsRule


class LocalGLR(CountsRule[NoConfig]):
    """The rule; see the module."""

    def judge(self, counts: Counts, scope: npt.NDArray[np.bool_]) -> Verdict:  # noqa: ARG002 - all rivals count
        """The least ratio over rivals."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        policy, ratio = least_ratio(evidence, self.problem.discount)
        stop = ratio >= math.log(1.0 / self.delta)
        return Verdict(
            stop=stop,
            policy=policy,
            gap=0.0 if stop else self.trivial_gap,
            reason=f"the least local likelihood ratio is {ratio:.4g}",
        )

    def contains(self, counts: Counts, mdp: TabularMDP) -> bool:
        """Whether the log-likelihood ratio of a model, of all pairs together, is below as much."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        laws, rewards = divergences(evidence, mdp)
        return bool(laws.sum() + rewards.sum() < math.log(1.0 / self.delta))


def least_ratio(evidence: Evidence, discount: float) -> tuple[np.ndarray, float]:
    """The empirical policy, int64 [S], and the least Z over rivals; infinite without any."""
    reference = empirical_reference(evidence, discount)
    n_states, n_actions = evidence.n_states, evidence.n_actions
    states = np.flatnonzero(~evidence.terminal)
    own = states * n_actions + reference.policy[states]
    rivals = np.setdiff1d(np.flatnonzero(evidence.live), own)
    values = np.zeros(evidence.n_outcomes)
    values[states] = discount * reference.values[states]
    points = points_of(evidence, values)
    spread = points.variances / np.maximum(points.visits, 1.0)
    rows = empirical_model(evidence)[0].reshape(evidence.n_pairs, n_states)[:, states]
    resolvent = reference.resolvent[np.ix_(states, states)]
    at = np.searchsorted(states, rivals // n_actions)
    kappa = discount * rows[rivals] @ resolvent - resolvent[at]
    gaps = reference.values[rivals // n_actions] - points.means[rivals]
    total = kappa**2 @ spread[own] + spread[rivals]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(gaps > 0.0, gaps**2 / (2.0 * total), 0.0)
    return reference.policy, float(ratios.min(initial=np.inf))

"""Stop once an upper bound on the characteristic time, at the counts, exceeds a threshold.

U(phi, w) bounds the characteristic time of phi: if the policy pi that is optimal in phi is not so
in psi, then sum w_j (KL_j + kl_j) >= 1 / U(phi, w), the sum over pairs of how far psi is from phi.
With phi the empirical model, w the visits and psi the truth: while the left side is known to stay
below a threshold, pi is optimal once 1 / U(phi, N) is above it.

    mixture, nas:  1 / U(phi, N) >= the threshold of the sum,
    klb:           1 / U(phi, N / x) >= 2, x those of the pairs: a bound compares two pairs.

See :mod:`mfbpi_stopping_u_relaxation.thresholds`. Only epsilon = 0; with ties, U is infinite.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import (
    Bound,
    Counts,
    Problem,
    Scope,
    TabularMDP,
    Verdict,
    bound_parameter,
    parameter,
)
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import ConfigError, SolverError
from mfbpi_core.plugins import bounding
from mfbpi_lib_confidence.divergences import divergences
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import empirical_model, empirical_reference
from mfbpi_lib_confidence.rules import BoxRule
from mfbpi_stopping_u_relaxation import thresholds

#: Bounds for confusing models with any successors; others may be exceeded by the truth.
COVERING = ("u_span", "u0")

#: By how much a threshold must be exceeded, relatively: rounding of a bound, where it can matter.
CLEAR = 1e-6


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of the rule."""

    bound: str = bound_parameter(
        "u_span", "the bound: u_span, or u0 as published; others have no guarantee"
    )
    thresholds: str = parameter(
        "mixture",
        "mixture: of this package, nas, klb: as published",
        choices=("mixture", "nas", "klb"),
        source="Al Marjani, Garivier & Proutiere 2021 (nas); Al Marjani & Proutiere 2021 (klb)",
    )


class URelaxation(BoxRule[Config]):
    """The rule; see the module.

    Raises:
        ConfigError: for epsilon above 0.
    """

    called = "u_relaxation"

    def __init__(
        self,
        problem: Problem,
        config: Config,
        delta: float,
        epsilon: float,
        scope: Scope = "all",
        *,
        bound: Bound,
    ) -> None:
        super().__init__(problem, config, delta, epsilon, scope)
        if epsilon > 0.0:
            raise ConfigError(f"epsilon is {epsilon:g}; u_relaxation knows epsilon = 0 alone")
        self.bound = bound

    @property
    def doubt(self) -> str:
        """Bounds that do not cover every model that the data allow prove nothing."""
        if self.config.bound in COVERING:
            return ""
        return f"bound {self.config.bound} is not one of {', '.join(COVERING)}"

    def judge(self, counts: Counts, scope: npt.NDArray[np.bool_]) -> Verdict:  # noqa: ARG002 - it is all
        """Whether the bound at these counts exceeds its threshold."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        policy = empirical_reference(evidence, self.problem.discount).policy
        try:
            share = self.share(evidence)
        except SolverError as error:
            return self._open(policy, f"the bound cannot be told: {error}")
        if not share >= 1.0 + CLEAR:
            return self._open(policy, f"1 / {self.config.bound} is {share:.4g} of its threshold")
        reason = f"1 / {self.config.bound} exceeds the threshold {self.config.thresholds}"
        return Verdict(stop=True, policy=policy, gap=0.0, reason=reason)

    def _open(self, policy: npt.NDArray[np.int64], reason: str) -> Verdict:
        return Verdict(stop=False, policy=policy, gap=self.trivial_gap, reason=reason)

    def share(self, evidence: Evidence) -> float:
        """1 / U at the counts by its threshold: the rule stops at 1; 0 with ties.

        Raises:
            SolverError: when a gap is too small to be told from zero.
        """
        visits = evidence.visits.astype(np.float64)
        if self.config.thresholds == "klb":
            laws, rewards = thresholds.klb(evidence, self.delta)
            return self._inverse(evidence, visits / (laws + rewards).reshape(visits.shape)) / 2.0
        both = {"mixture": thresholds.mixture, "nas": thresholds.nas}[self.config.thresholds]
        return self._inverse(evidence, visits) / sum(both(evidence, self.delta))

    def _inverse(self, evidence: Evidence, weights: FloatArray) -> float:
        """1 / U(phi, weights)."""
        model = observed(evidence)
        padded = np.zeros((model.n_states, model.n_actions))
        padded[: len(weights)] = np.where(evidence.terminal[:, None], 0.0, weights)
        total = float(padded.sum())
        value = bounding.evaluated(self.bound, model, padded / total)
        return total / value if value > 0.0 else math.inf

    def contains(self, counts: Counts, mdp: TabularMDP) -> bool:
        """Whether the divergences of a model are below their thresholds."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        laws, rewards = divergences(evidence, mdp)
        if self.config.thresholds == "klb":
            most = thresholds.klb(evidence, self.delta)
            return bool((laws < most[0]).all() and (rewards < most[1]).all())
        both = {"mixture": thresholds.mixture, "nas": thresholds.nas}[self.config.thresholds]
        x_laws, x_rewards = both(evidence, self.delta)
        return bool(laws.sum() < x_laws and rewards.sum() < x_rewards)


def observed(evidence: Evidence) -> TabularMDP:
    """The empirical model; where the task may end elsewhere, one terminal state more."""
    transitions, rewards = empirical_model(evidence)
    terminal = evidence.terminal
    if evidence.may_end:
        ending = 1.0 - transitions.sum(axis=2, keepdims=True)
        transitions = np.concatenate([transitions, np.maximum(ending, 0.0)], axis=2)
        row = np.zeros((1, *transitions.shape[1:]))
        transitions = np.concatenate([transitions, row])
        rewards = np.concatenate([rewards, np.zeros((1, rewards.shape[1]))])
        terminal = np.append(terminal, True)
    at = np.flatnonzero(terminal)
    transitions[at] = 0.0
    transitions[at, :, at] = 1.0
    return TabularMDP.from_dense(
        transitions,
        np.where(terminal[:, None], 0.0, np.clip(rewards, *evidence.reward_range)),
        terminal=terminal,
        initial=np.where(terminal, 0.0, 1.0) / (~terminal).sum(),
        reward_range=evidence.reward_range,
    )

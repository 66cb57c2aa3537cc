"""Stop once bets on each advantage, or the box of what the counts allow, leave no better policy.

Half of the risk pays for a box as that of the rule kl_box, half for capitals against the mean of
what each pair pays: a functional of such means, an advantage up to a product of two errors, is
bounded as one number, where the box adds up the widths of its parts. Formulas and proofs are in
:mod:`mfbpi_lib_confidence.betting.evaluation` and beside it.

Bets are made at some of the scheduled checks, and only data that come later count for them: the
rule keeps the counts of these checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import Counts, NoConfig, Problem, Scope, TabularMDP, Verdict
from mfbpi_core.data.plain import StateDict
from mfbpi_lib_certificates import storage
from mfbpi_lib_confidence.betting.epoch import Epoch
from mfbpi_lib_confidence.betting.evaluation import continued, evaluate, thresholds
from mfbpi_lib_confidence.betting.proved import certificate
from mfbpi_lib_confidence.box import Box
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.rules import BoxRule

#: What is kept of the counts of a check.
_KEPT = ("starts", "outcomes", "counts", "rewards", "entry_rewards")


class Betting(BoxRule[NoConfig]):
    """The rule; see the module."""

    called = "betting"

    def __init__(
        self,
        problem: Problem,
        config: NoConfig,
        delta: float,
        epsilon: float,
        scope: Scope = "all",
    ) -> None:
        super().__init__(problem, config, delta, epsilon, scope)
        self.epochs: tuple[Epoch, ...] = ()
        self.step = 0

    def judge(self, counts: Counts, scope: npt.NDArray[np.bool_]) -> Verdict:
        """The bets that are open and the box, at these counts; then new bets, if it is time."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        discount = self.problem.discount
        found, used = evaluate(
            evidence,
            self.epochs,
            discount=discount,
            delta=self.delta,
            epsilon=self.epsilon,
            scope=scope,
        )
        if counts.steps > self.step:  # the same check asked twice bets once
            self.epochs = continued(
                self.epochs, evidence, counts.steps, discount=discount, delta=self.delta
            )
            self.step = counts.steps
        return self.verdict(found, evidence=(found, used))

    def certificate(
        self,
        counts: Counts,
        verdict: Verdict,
        *,
        version: str,
        task: Mapping[str, Any] | None,
    ) -> dict[str, bytes]:
        """The certificate of a verdict that was just given; nothing where nothing was evaluated."""
        if verdict.evidence is None:
            return {}
        found, used = verdict.evidence
        question = self.question(counts, version=version, task=task)
        return storage.contents(certificate(found, used, question))

    def contains(self, counts: Counts, mdp: TabularMDP) -> bool:
        """Whether a model is in the box, and its means are within the capitals of all bets."""
        evidence = Evidence.from_counts(counts, self.problem.reward_range)
        box = Box.around(evidence, thresholds(evidence, self.delta))
        return box.contains(mdp.transitions, mdp.mean_rewards) and all(
            self._within(epoch, evidence, mdp) for epoch in self.epochs
        )

    def _within(self, epoch: Epoch, evidence: Evidence, mdp: TabularMDP) -> bool:
        following = self.problem.discount * mdp.transitions @ epoch.reference.values
        found = epoch.log_capitals(evidence, (mdp.mean_rewards + following).reshape(-1))
        return bool((found < epoch.functionals.thresholds).all())

    def state_dict(self) -> StateDict:
        """The counts of the checks at which bets were made, once each, and which epochs began."""
        checks = self.epochs[0].plans if self.epochs else ()
        kept = [{name: getattr(each, name).copy() for name in _KEPT} for each in checks]
        return {
            "step": self.step,
            "terminal": checks[0].terminal.copy() if checks else None,
            "may_end": checks[0].may_end if checks else False,
            "checks": kept,
            "first": [len(checks) - len(epoch.plans) for epoch in self.epochs],
            "numbers": [epoch.number for epoch in self.epochs],
            "risks": [epoch.risk for epoch in self.epochs],
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        checks = [self._evidence(each, state) for each in state["checks"]]
        self.step = int(state["step"])
        self.epochs = tuple(
            Epoch(
                number=int(number),
                risk=float(risk),
                discount=self.problem.discount,
                evidence=checks[first],
                later=tuple(checks[first + 1 :]),
            )
            for first, number, risk in zip(
                state["first"], state["numbers"], state["risks"], strict=True
            )
        )

    def _evidence(self, kept: StateDict, state: StateDict) -> Evidence:
        low, high = self.problem.reward_range
        rewards = np.array(kept["rewards"], dtype=np.float64)
        return Evidence(
            n_states=rewards.shape[0],
            n_actions=rewards.shape[1],
            known_rewards=None,
            terminal=np.array(state["terminal"], dtype=np.bool_),
            may_end=bool(state["may_end"]),
            reward_range=(float(low), float(high)),
            **{name: np.array(kept[name]) for name in _KEPT},
        )

"""An evaluation as a certificate, which anyone can check without this package."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import IntArray
from mfbpi_core.data.plain import JsonObject
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation


@attrs.frozen(kw_only=True, eq=False)
class Question:
    """What was asked, of which rule, and where the data come from.

    Attributes:
        discount: gamma.
        delta: risk.
        epsilon: accepted loss.
        scope: "all", "visited" or "initial".
        start: int64 [S], how often an episode began in each state.
        cuts: how many episodes were cut short, without an end of the task.
        rule: name of the rule.
        version: of the software.
        parameters: of the rule.
        task: what reruns the interaction, if anything does.
    """

    discount: float
    delta: float
    epsilon: float
    scope: str
    start: IntArray
    cuts: int = 0
    rule: str = "kl_box"
    version: str
    parameters: Mapping[str, object] = attrs.field(factory=dict)
    task: Mapping[str, object] | None = None


def certificate(found: Evaluation, question: Question) -> Certificate:
    """The certificate of an evaluation of the box at risk delta; of a gap if nothing more."""
    witnesses = witnesses_of(found)
    answer: JsonObject = {
        "identified": found.identified,
        "reason": found.reason,
        "policy": found.policy,
        "gap": found.gap,
        "certified_gap": found.certified_gap,
        "delta_spent": question.delta,
    }
    asked = attrs.asdict(question, recurse=False)
    return Certificate(**data_of(found.box.evidence), **asked, **answer, witnesses=witnesses)


def data_of(evidence: Evidence) -> JsonObject:
    """The fields of a certificate that hold the counts."""
    return {
        "n_states": evidence.n_states,
        "n_actions": evidence.n_actions,
        "reward_range": evidence.reward_range,
        "reward_law": "any" if evidence.known_rewards is None else "deterministic",
        "may_end": evidence.may_end,
        "terminal": evidence.terminal,
        "steps": int(evidence.counts.sum()),
        "row_starts": evidence.starts,
        "outcomes": evidence.outcomes,
        "counts": evidence.counts,
        "rewards": evidence.rewards,
        "known_rewards": evidence.known_rewards,
    }


def witnesses_of(found: Evaluation) -> dict[str, npt.NDArray[np.float64]]:
    """The numbers that prove an evaluation."""
    return {
        "threshold_transitions": np.array(found.box.thresholds.transitions),
        "threshold_rewards": np.array(found.box.thresholds.rewards),
        "advantages": -found.margin + 0.0,  # no negative zeros
        "values_upper": found.values_upper,
        "values_lower": found.values_lower,
        "policy_upper": found.policy_upper,
        "regret": found.regret,
        "kappa_low": found.kappa_low,
        "kappa_high": found.kappa_high,
    }

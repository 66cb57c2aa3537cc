"""A stopping rule in a run: counted from the chunks of the metrics, checked on a schedule.

The schedule is t_0 = max(100, S A), then t -> max(t + 1, floor(1.05 t)): it depends on neither the
evaluation interval nor how the run is divided, so that a rule that looks at counts alone says the
same at the same step.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from mfbpi_core.contracts.stopping import StoppingRule, Verdict
from mfbpi_core.data import exact
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.specs import Column

#: First check, at the latest of this step and one step for each pair.
FIRST_CHECK = 100

#: Of the rows: what is certified at each check, and when a run stopped.
CERTIFIED_GAP, STOPPING_TIME = "certified_gap", "stopping_time"

#: What a rule adds to the rows of a run; the last three where the model is known.
COLUMNS = (
    Column(name=CERTIFIED_GAP, low=0.0, summary="the policy loses at most so much, certified"),
    Column(name=STOPPING_TIME, low=1.0, summary="step at which the rule stopped the run"),
    Column(name="correct", low=0.0, high=1.0, summary="whether the rule's policy is as good"),
    Column(name="value_loss", low=0.0, summary="what the rule's policy truly loses, in scope"),
    Column(name="agent_value_loss", low=0.0, summary="what the agent's own policy truly loses"),
)


def first_check(n_states: int, n_actions: int) -> int:
    """Step of the first check, t_0 = max(100, S A)."""
    return max(FIRST_CHECK, n_states * n_actions)


def next_check(step: int) -> int:
    """Step of the check after one at ``step``: max(t + 1, floor(1.05 t)), in whole numbers."""
    return max(step + 1, step * 21 // 20)


@attrs.define(kw_only=True, eq=False)
class Stopping:
    """The rule of a run, what it has seen, and what it said.

    Attributes:
        rule: the rule.
        counts: what was seen so far.
        name: how messages call the rule.
        due_at: step of the next check.
        verdict: of the last check; None before the first.
        stopped_at: step at which the rule stopped the run, or None.
    """

    rule: StoppingRule
    counts: Counts
    name: str = "the stopping rule"
    due_at: int = attrs.field(init=False)
    verdict: Verdict | None = None
    stopped_at: int | None = None

    def __attrs_post_init__(self) -> None:
        self.due_at = first_check(self.counts.n_states, self.counts.n_actions)

    def observe(self, steps: Transitions) -> dict[str, float]:
        """Count the latest steps, and check where that is due; what is to be told, by column.

        Raises:
            PluginError: when the rule returns no verdict.
        """
        self.counts.observe(steps)
        if self.counts.steps < self.due_at:
            return {}
        found = self.rule.check(self.counts)
        self.verdict = verdict = checked(self.name, found, self.counts)
        told = {CERTIFIED_GAP: float(verdict.gap)}
        if verdict.stop:
            self.stopped_at = self.counts.steps
            told[STOPPING_TIME] = float(self.stopped_at)
        self.due_at = next_check(self.counts.steps)
        return told

    def state_dict(self) -> StateDict:
        """What goes on, as a copy; without the evidence, which checking again would give."""
        said = None if self.verdict is None else attrs.asdict(self.verdict, filter=_kept)
        return {
            "rule": self.rule.state_dict(),
            "verdict": said,
            "counts": self.counts.state_dict(),
            "due_at": self.due_at,
            "stopped_at": self.stopped_at,
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.rule.load_state_dict(state["rule"])
        self.counts.load_state_dict(state["counts"])
        self.due_at = state["due_at"]
        self.stopped_at = state["stopped_at"]
        said = state["verdict"]
        self.verdict = None if said is None else Verdict(**said)
        if self.stopped_at is not None:
            self.verdict = checked(self.name, self.rule.check(self.counts), self.counts)
            self.rule.load_state_dict(state["rule"])  # it was asked again for its evidence alone


def _kept(attribute: attrs.Attribute[object], _value: object) -> bool:
    return attribute.name != "evidence"


def checked(name: str, verdict: object, counts: Counts) -> Verdict:
    """A verdict that can be acted on.

    Args:
        name: how messages call the rule.
        verdict: what it returned.
        counts: what it was asked about.

    Raises:
        PluginError: when it is something else.
    """
    if not isinstance(verdict, Verdict):
        raise PluginError(f"{name} returned {verdict!r:.80}; expected a Verdict")
    verdict = _with_flag(name, verdict)
    gap = exact.real(verdict.gap)
    if gap is None or not 0.0 <= gap < math.inf:
        raise PluginError(f"{name} certified the gap {verdict.gap!r}; expected a number, 0 or more")
    policy = verdict.policy
    if policy is None and not verdict.stop:
        return verdict
    wanted = f"expected int64 [{counts.n_states}] with actions from 0 to {counts.n_actions - 1}"
    if not isinstance(policy, np.ndarray) or policy.shape != (counts.n_states,):
        raise PluginError(f"{name} recommends {policy!r:.80}; {wanted}")
    if policy.dtype.kind != "i" or not np.all((policy >= 0) & (policy < counts.n_actions)):
        raise PluginError(f"{name} recommends {policy!r:.80}; {wanted}")
    return verdict


def _with_flag(name: str, verdict: Verdict) -> Verdict:
    """Whether to stop, as a bool: nearly everything else is true, "no" among it."""
    given: object = verdict.stop
    if isinstance(given, bool):
        return verdict
    if isinstance(given, np.bool_):
        return attrs.evolve(verdict, stop=bool(given))
    raise PluginError(
        f"{name} returned a Verdict with stop={exact.shown(given)}; expected True or False"
    )

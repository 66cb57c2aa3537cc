"""The stopping rule of a task: built, and what it found as rows, provenance and certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.recommendation import checked_policy
from mfbpi_core.data import exact
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import StopRef, Task
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.assembly import Part
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.loop import Run
from mfbpi_core.running.stopping import Stopping

#: Under which a run lists the rule's columns.
NAME = "stopping_rule"

#: Suffix of a certificate among the files of a task, and the beginning of those it refers to.
CERTIFICATE, BESIDE = ".certificate.json", ".certificate/"

#: How such a file is called.
BESIDE_NAME = re.compile(r"[0-9a-f]{64}\.npz")

#: A policy is as good as another if it loses no more than this, in units of the largest value.
_ROUNDING = 1e-9


def begun(
    registry: Registry,
    part: Part | None,
    ref: StopRef | None,
    about: Problem,
    where: Environment,
) -> Stopping | None:
    """The rule, and nothing counted yet; None where there is no rule."""
    if part is None or ref is None or about.n_states is None:
        return None
    model = where.model
    counts = Counts(
        n_states=about.n_states,
        n_actions=about.n_actions,
        terminal=np.zeros(about.n_states, dtype=np.bool_) if model is None else model.terminal,
        may_end=model is None,
    )
    return Stopping(
        rule=assembly.stopping_rule(registry, part, ref, about),
        counts=counts,
        name=part.plugin.described,
    )


def status(run: Run) -> str:
    """How a run with a rule ended: ``"stopped"`` by it, or at its ``"horizon"``."""
    stopped = run.stopping is not None and run.stopping.stopped_at is not None
    return "stopped" if stopped else "horizon"


def told(run: Run) -> JsonObject:
    """What the provenance of a run says of its rule: nothing where there was none."""
    if run.stopping is None:
        return {}
    verdict = run.stopping.verdict
    found = {} if verdict is None else {"reason": verdict.reason, "certified_gap": verdict.gap}
    policy = None if verdict is None else verdict.policy
    own = checked_policy(run.agent)
    return {
        "stopping": {
            "status": status(run),
            "step": run.stopping.stopped_at,
            **found,
            "policy": None if policy is None else policy.tolist(),
            "agent_policy": None if own is None else own.tolist(),
        }
    }


def judged(task: Task, run: Run) -> list[Row]:
    """Where the model is known: whether the rule's policy is as good as was asked, and its loss.

    Beside it the loss of the policy that the agent itself recommends, if it has one.
    """
    rule, mdp = run.stopping, run.environment.model
    if rule is None or mdp is None:
        return []
    asked = task.stop
    assert asked is not None  # the run has its rule
    scope = rule.counts.in_scope(asked.scope)
    found: dict[str, float] = {}
    if rule.verdict is not None and rule.verdict.policy is not None:
        loss, scale = value_loss(mdp, rule.verdict.policy, task.discount, scope)
        found["correct"] = float(loss <= asked.epsilon + _ROUNDING * scale)
        found["value_loss"] = max(loss, 0.0)
    own = checked_policy(run.agent)
    if own is not None:
        found["agent_value_loss"] = max(value_loss(mdp, own, task.discount, scope)[0], 0.0)
    elapsed_s = run.learning_s + run.metrics_s
    step, episode = run.interaction.step, run.interaction.episode
    return [
        Row(step=step, episode=episode, metric=metric, value=value, elapsed_s=elapsed_s)
        for metric, value in found.items()
    ]


def value_loss(
    mdp: TabularMDP,
    policy: npt.NDArray[np.int64],
    discount: float,
    scope: npt.NDArray[np.bool_],
) -> tuple[float, float]:
    """The largest of V* - V_pi in scope, and the largest |V*|, for what rounding may do."""
    # Imported here because only runs with a rule solve their instance.
    from mfbpi_lib_tabular.solution import planning

    plan = planning.solve(mdp, discount)
    loss = plan.values - planning.evaluate_policy(mdp, policy, discount)
    return float(loss[scope].max(initial=0.0)), float(np.abs(plan.values).max(initial=1.0))


def certificate(task: Task, run: Run) -> Mapping[str, bytes]:
    """The files of the certificate, of a run that its rule has stopped."""
    rule = run.stopping
    if rule is None or rule.verdict is None or rule.stopped_at is None:
        return {}
    found = rule.rule.certificate(
        rule.counts, rule.verdict, version=metadata.version("mfbpi"), task=task.as_dict()
    )
    _check_files(rule.name, found)
    return {(f"{BESIDE}{name}" if name else CERTIFICATE): data for name, data in found.items()}


def _check_files(name: str, found: object) -> None:
    """Refuse here, where one task fails, what could not be written where all of them are."""
    if not isinstance(found, dict):
        raise PluginError(
            f"{name}: certificate returned {exact.shown(found)}; expected a dict of contents by "
            "name, the empty one if there is no certificate"
        )
    for file, data in found.items():
        if file != "" and not (isinstance(file, str) and BESIDE_NAME.fullmatch(file)):
            raise PluginError(
                f"{name}: certificate names a file {exact.shown(file)}; expected '' for the "
                "certificate itself, and for what it refers to 64 hexadecimal digits (SHA-256 of "
                "the content) and '.npz'"
            )
        if not isinstance(data, bytes):
            raise PluginError(
                f"{name}: certificate returned {exact.shown(data)} for the file {file!r}; expected "
                "bytes"
            )

"""Studies of instances: quantities, moments and bounds, tabulated without running anything."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import pyarrow as pa

from mfbpi.instances import bounds, instance
from mfbpi.instances.instance import Instance
from mfbpi.plan import selection as choices
from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.contracts.experiment import Choice, InstanceStudy
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import SolverError
from mfbpi_core.plugins import bounding
from mfbpi_core.plugins.registry import Registry

#: Quantities of a description that are numbers.
_QUANTITIES = (
    "delta_min",
    "delta_max",
    "md_min",
    "md_max",
    "var_min",
    "var_max",
    "moment_max",
)

#: One number a row. ``at``: the bound whose optimal allocation the value is taken at; ``k``: order
#: of a moment; ``value`` is null where it is infinite or could not be computed (``status`` is then
#: "failed"); ``reason`` says why, or what else to know about the value.
SCHEMA = pa.schema(
    [
        pa.field("env", pa.string(), nullable=False),
        pa.field("replicate", pa.int64()),
        pa.field("n_states", pa.int64(), nullable=False),
        pa.field("discount", pa.float64(), nullable=False),
        pa.field("quantity", pa.string(), nullable=False),
        pa.field("k", pa.int64()),
        pa.field("constraint", pa.string()),
        pa.field("at", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("relative_gap", pa.float64()),
        pa.field("residual", pa.float64()),
        pa.field("status", pa.string()),
        pa.field("reason", pa.string()),
    ]
)

Record = JsonObject


@attrs.frozen(kw_only=True)
class StudyPoint:
    """An instance to be studied: which environment, which draw of it, which discount."""

    choice: Choice
    replicate: int | None
    discount: float


def subjects(study: InstanceStudy) -> list[StudyPoint]:
    """Every instance of a study, in order."""
    return [
        StudyPoint(choice=choice, replicate=replicate, discount=discount)
        for discount in study.discounts
        for environment in study.environments
        for choice, replicate in environment.expand_replicates()
    ]


def records(registry: Registry, study: InstanceStudy, subject: StudyPoint) -> Iterator[Record]:
    """The rows of one instance."""
    (choice,) = choices.listed(registry, "environment", [subject.choice])
    found = instance.of_environment(registry, choice.ref(), subject.discount)
    common = {
        "env": subject.choice.label,
        "replicate": subject.replicate,
        "n_states": found.mdp.n_states,
        "discount": subject.discount,
    }
    for record in itertools.chain(_quantities(study, found), _bounds(registry, study, found)):
        yield {**common, **record}


def definition(registry: Registry, study: InstanceStudy) -> Record:
    """All that the rows of a study depend on, as JSON can hold it."""
    return {
        "environments": _parameters(registry, "environment", study.environments),
        "bounds": _parameters(registry, "bound", study.bounds),
        "discounts": list(study.discounts),
        "quantities": study.quantities,
        "moments": list(study.moments),
        "constraints": list(study.constraints),
    }


def _parameters(registry: Registry, kind: str, chosen: tuple[Choice, ...]) -> Record:
    """Label to parameters; of the draws of a random instance, the first and their number."""
    found: Record = {}
    for choice in (each for one in chosen for each, _ in one.expand_replicates()):
        if choice.label in found:
            found[choice.label]["draws"] += 1
        else:
            (resolved,) = choices.listed(registry, kind, [choice])
            found[choice.label] = {**resolved.ref().config, "draws": 1}
    return found


def to_table(rows: list[Record]) -> pa.Table:
    """The rows in :data:`SCHEMA`."""
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _quantities(study: InstanceStudy, found: Instance) -> Iterator[Record]:
    # Imported here because planning needs scipy, which listing does without.
    from mfbpi_lib_tabular.analysis import description
    from mfbpi_lib_tabular.solution import gaps, planning

    if study.quantities:
        described = attrs.asdict(description.describe(found.mdp, found.discount, hardness=False))
        for name in _QUANTITIES:
            note = _about_gaps(described) if name == "delta_min" else ""
            yield _number(name, described[name], note)
    if study.moments:
        plan = planning.solve(found.mdp, found.discount)
        spread = gaps.separate(found.mdp, plan, found.discount).spread(found.mdp)
        acting = ~found.mdp.terminal
        for k in study.moments:
            roots = spread.roots(k)[acting]
            yield {**_number("moment", float(roots.max())), "k": k}


def _about_gaps(described: Mapping[str, Any]) -> str:
    """What to know about the least gap."""
    said = {
        "pairs are optimal beside the policy's own": len(described["ties"]),
        "gaps are too small to be told from zero": len(described["unresolved"]),
    }
    return "; ".join(f"{count} {what}" for what, count in said.items() if count)


def _number(quantity: str, value: float, reason: str = "") -> Record:
    finite = math.isfinite(value)
    return {
        "quantity": quantity,
        "value": value if finite else None,
        "reason": reason or (None if finite else "infinite"),
    }


def _bounds(registry: Registry, study: InstanceStudy, found: Instance) -> Iterator[Record]:
    """Each bound at its own optimal allocation and at the others'."""
    built = {
        choice.label: bounds.build(choice, found.discount)
        for choice in choices.listed(registry, "bound", study.bounds)
    }
    for constraint in study.constraints if built else ():
        solutions = {label: _minimised(b, found, constraint) for label, b in built.items()}
        for label, bound in built.items():
            yield {**_solved(label, solutions[label]), "constraint": constraint}
            for record in _elsewhere(label, bound, solutions, found):
                yield {**record, "constraint": constraint}


def _minimised(bound: Bound, found: Instance, constraint: Constraint) -> BoundSolution:
    """The least value, or the reason why it could not be computed; the study goes on."""
    try:
        return bounding.solved(bound, found.mdp, constraint)
    except SolverError as error:
        return BoundSolution(
            value=math.nan,
            allocation=None,
            status="failed",
            relative_gap=math.nan,
            residual=math.nan,
            solver="none",
            reason=str(error),
        )


def _solved(label: str, solution: BoundSolution) -> Record:
    gap, residual = solution.relative_gap, solution.residual
    return {
        **_number(label, solution.value, solution.reason),
        "at": label,
        "relative_gap": None if math.isnan(gap) else gap,
        "residual": None if math.isnan(residual) else residual,
        "status": solution.status,
    }


def _elsewhere(
    label: str, bound: Bound, solutions: Mapping[str, BoundSolution], found: Instance
) -> Iterator[Record]:
    for other, solution in solutions.items():
        if other == label or solution.allocation is None:
            continue
        value = bounding.evaluated(bound, found.mdp, solution.allocation)
        yield {**_number(label, value), "at": other, "status": "evaluated"}

"""The kinds of plugins: one table, which everything that differs between kinds is read from.

A kind is a row of :data:`KINDS` and a contract. Its hook, the look-up, the conformance kit, the
scaffold and the commands read the row; none of them names a kind. Checks and templates are import
strings, so that the table brings in neither the kit nor the runner.
"""

from __future__ import annotations

from collections.abc import Mapping

from mfbpi_core.contracts._sizes import check_sizes
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.executor import Executor
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.contracts.stopping import StoppingRule
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import specs
from mfbpi_core.plugins.factories import Factory
from mfbpi_core.plugins.kind import Fact, Kind, Scaffold

_CHECKS = "mfbpi_core.testing.checks."


def _table(*rows: Kind) -> dict[str, Kind]:
    return {row.name: row for row in rows}


def _template(module: str, *dependencies: str, use: str) -> Scaffold:
    templates = f"mfbpi_run:templates/{module}"
    return Scaffold(templates=templates, module=module, dependencies=dependencies, use=use)


_NEEDS = Fact("needs", "needs")
_TABULAR, _ATTRS, _NUMPY = "mfbpi-lib-tabular>=0.1,<1", "attrs>=23.2", "numpy>=1.26"
_OF_AGENT = ("problem", "config", "rng")

#: Every kind by its name, in the order in which they are listed.
KINDS: dict[str, Kind] = _table(
    Kind(
        name="agent",
        spec=specs.AgentSpec,
        factory=Factory(of="agent", arguments=_OF_AGENT, contract=Agent),
        others={
            "preset": Factory(of="preset", arguments=("problem",)),
            "replicas": Factory(
                of="replicas", arguments=("problem", "config", "rngs"), contract=Replicas
            ),
        },
        checks=(
            f"{_CHECKS}need_checks:AGENT_CHECKS",
            f"{_CHECKS}agent_checks:CHECKS",
            f"{_CHECKS}gate_checks:CHECKS",
            f"{_CHECKS}state_checks:AGENT_CHECKS",
        ),
        facts=(
            _NEEDS,
            Fact("preset", "defaults", "those below, or the published ones by environment"),
            Fact("replicas", "replicas", "several seeds at once, --replicas N"),
        ),
        scaffold=_template("agent", _ATTRS, _NUMPY, use="mfbpi-run --agent {name} --env riverswim"),
    ),
    Kind(
        name="environment",
        spec=specs.EnvironmentSpec,
        factory=Factory(
            of="environment", arguments=("config",), contract=Environment, check=check_sizes
        ),
        checks=(
            f"{_CHECKS}need_checks:ENVIRONMENT_CHECKS",
            f"{_CHECKS}environment_checks:CHECKS",
            f"{_CHECKS}stream_checks:CHECKS",
            f"{_CHECKS}model_checks:CHECKS",
            f"{_CHECKS}state_checks:ENVIRONMENT_CHECKS",
        ),
        facts=(Fact("argument", "after a colon"), Fact("features", "features")),
        scaffold=_template(
            "environment", _TABULAR, _ATTRS, _NUMPY, use="mfbpi-run --agent mf_bpi --env {name}"
        ),
        prefix="env",
        aliases=("env", "envs"),
    ),
    Kind(
        name="bound",
        spec=specs.BoundSpec,
        factory=Factory(of="bound", arguments=("discount", "config"), contract=Bound),
        checks=(f"{_CHECKS}bound_checks:CHECKS",),
        scaffold=_template(
            "bound", _TABULAR, _NUMPY, use="mfbpi bound --bound {name} --env riverswim"
        ),
    ),
    Kind(
        name="metric",
        spec=specs.MetricSpec,
        factory=Factory(
            of="metric", arguments=("problem", "environment", "config", "rng"), contract=Metric
        ),
        checks=(f"{_CHECKS}need_checks:METRIC_CHECKS", f"{_CHECKS}metric_checks:CHECKS"),
        facts=(_NEEDS,),
        scaffold=_template(
            "metric", _NUMPY, use="mfbpi-run --agent mf_bpi --env riverswim --metric {name}"
        ),
    ),
    Kind(
        name="stopping_rule",
        spec=specs.StoppingRuleSpec,
        factory=Factory(
            of="stopping rule",
            arguments=("problem", "config", "delta", "epsilon", "scope"),
            contract=StoppingRule,
        ),
        checks=(f"{_CHECKS}stopping_checks:CHECKS",),
        facts=(Fact("guarantee", "guarantee"),),
        scaffold=_template(
            "stopping_rule",
            _NUMPY,
            use="mfbpi-run --agent uniform --env riverswim --stop {name} --epsilon 1",
        ),
        prefix="stopping",
        folder="stopping",
        aliases=("stop", "stopping", "rule"),
    ),
    Kind(
        name="executor",
        spec=specs.ExecutorSpec,
        factory=Factory(of="executor", arguments=("jobs", "config"), contract=Executor),
        checks=(f"{_CHECKS}executor_checks:CHECKS",),
        scaffold=_template(
            "executor", use="mfbpi-run --agent mf_bpi --env riverswim --executor {name}"
        ),
    ),
    Kind(
        name="experiment",
        spec=specs.ExperimentSpec,
        factory=Factory(of="experiment", arguments=("quick",)),
        checks=(f"{_CHECKS}experiment_checks:CHECKS",),
    ),
)


def hooks() -> tuple[str, ...]:
    """The hook of every kind."""
    return tuple(kind.hook for kind in KINDS.values())


def kind_called(word: str, kinds: Mapping[str, Kind] | None = None) -> Kind:
    """The kind that a user means: ``agent``, ``agents``, ``env``, ``stopping-rule``, ...

    Args:
        word: what the user wrote.
        kinds: those that are allowed; all if None.

    Raises:
        UsageError: for anything else, with the list of kinds.
    """
    allowed = KINDS if kinds is None else kinds
    for kind in allowed.values():
        if word.replace("-", "_") in kind.words:
            return kind
    raise UsageError(f"{word!r} is not a kind of plugin; expected {', '.join(allowed)}")

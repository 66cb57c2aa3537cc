"""The core of mfbpi: the contracts of plugins, their registry, and the interaction loop."""

from typing import Any

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.contracts.environment import Cells, Environment, RunProtocol
from mfbpi_core.contracts.executor import Executor, Outcome
from mfbpi_core.contracts.experiment import (
    Choice,
    Experiment,
    InstanceStudy,
    RunGrid,
    RunSettings,
)
from mfbpi_core.contracts.metric import Metric, Snapshot
from mfbpi_core.contracts.parameters import NoConfig, others, parameter
from mfbpi_core.contracts.parameters.bounds import bound_parameter
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.contracts.stopping import Scope, StoppingRule, Verdict
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.data.row import Row
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import PluginRef, StopRef, Task
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.plugins.hookspecs import hookimpl
from mfbpi_core.plugins.plugin import Plugin, PluginProblem
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import API_VERSION
from mfbpi_core.plugins.specs import (
    AgentSpec,
    BoundSpec,
    Column,
    EnvironmentSpec,
    ExecutorSpec,
    ExperimentSpec,
    MetricSpec,
    StoppingRuleSpec,
)
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.lockstep import Lockstep
from mfbpi_core.running.loop import Run

__all__ = [
    "API_VERSION",
    "Agent",
    "AgentSpec",
    "Bound",
    "BoundSolution",
    "BoundSpec",
    "Cells",
    "Choice",
    "Column",
    "Constraint",
    "Counts",
    "Environment",
    "EnvironmentSpec",
    "Executor",
    "ExecutorSpec",
    "Experiment",
    "ExperimentSpec",
    "InstanceStudy",
    "Interaction",
    "Lockstep",
    "Metric",
    "MetricSpec",
    "NoConfig",
    "Observation",
    "Outcome",
    "Plugin",
    "PluginProblem",
    "PluginRef",
    "Problem",
    "Registry",
    "Replicas",
    "Row",
    "Run",
    "RunGrid",
    "RunProtocol",
    "RunSettings",
    "Scope",
    "Snapshot",
    "StopRef",
    "StoppingRule",
    "StoppingRuleSpec",
    "Streams",
    "TabularMDP",
    "Task",
    "Transition",
    "Transitions",
    "Verdict",
    "bound_parameter",
    "hookimpl",
    "others",
    "parameter",
]


def __getattr__(name: str) -> Any:
    """``__version__``, from the metadata of the distribution, when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("mfbpi-core")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

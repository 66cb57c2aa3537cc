"""The core of mfbpi: the contracts of plugins, their registry, and the interaction loop."""

from typing import Any

from mfbpi_core.agent import Agent
from mfbpi_core.bound import Bound, BoundSolution, Constraint
from mfbpi_core.config import NoConfig, parameter
from mfbpi_core.environment import Cells, Environment, Protocol
from mfbpi_core.executor import Executor
from mfbpi_core.hookspecs import hookimpl
from mfbpi_core.interaction import Interaction
from mfbpi_core.lockstep import Lockstep
from mfbpi_core.loop import Run
from mfbpi_core.mdp import TabularMDP
from mfbpi_core.metric import Metric, Snapshot
from mfbpi_core.plugin import Plugin, PluginProblem
from mfbpi_core.registry import Registry
from mfbpi_core.replicas import Replicas
from mfbpi_core.seeding import Streams
from mfbpi_core.specs import (
    API_VERSION,
    AgentSpec,
    BoundSpec,
    Column,
    EnvironmentSpec,
    ExecutorSpec,
    ExperimentSpec,
    MetricSpec,
)
from mfbpi_core.task import PluginRef, Task
from mfbpi_core.types import (
    Outcome,
    Problem,
    Row,
    Transition,
    Transitions,
)

__all__ = [
    "API_VERSION",
    "Agent",
    "AgentSpec",
    "Bound",
    "BoundSolution",
    "BoundSpec",
    "Cells",
    "Column",
    "Constraint",
    "Environment",
    "EnvironmentSpec",
    "Executor",
    "ExecutorSpec",
    "ExperimentSpec",
    "Interaction",
    "Lockstep",
    "Metric",
    "MetricSpec",
    "NoConfig",
    "Outcome",
    "Plugin",
    "PluginProblem",
    "PluginRef",
    "Problem",
    "Protocol",
    "Registry",
    "Replicas",
    "Row",
    "Run",
    "Snapshot",
    "Streams",
    "TabularMDP",
    "Task",
    "Transition",
    "Transitions",
    "hookimpl",
    "parameter",
]


def __getattr__(name: str) -> Any:
    """``__version__``, from the metadata of the distribution, when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("mfbpi-core")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

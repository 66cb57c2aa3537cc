"""The hooks that a plugin may implement; each docstring holds a complete plugin.

A plugin is a package with an entry point in the group ``mfbpi`` that names a module with some of
these functions, marked with :data:`hookimpl`. Each yields specs.
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from mfbpi_core.plugins.specs import (
    AgentSpec,
    BoundSpec,
    EnvironmentSpec,
    ExecutorSpec,
    ExperimentSpec,
    MetricSpec,
)

#: Name of the project for pluggy, and of the entry point group.
PROJECT = "mfbpi"

hookspec = pluggy.HookspecMarker(PROJECT)

#: Marks the implementation of a hook in a plugin.
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def mfbpi_agents() -> Iterable[AgentSpec]:
    """Yield the agents of this plugin.

    Example:
        .. code-block:: python

            # my_agent.py; pyproject.toml: [project.entry-points.mfbpi] my_agent = "my_agent"
            from mfbpi_core import Agent, AgentSpec, hookimpl

            class UniformAgent(Agent):
                def select_action(self, observation):
                    return int(self.rng.integers(self.problem.n_actions))

                def update(self, transition):
                    pass

                def recommend(self, observation):
                    return 0

            @hookimpl
            def mfbpi_agents():
                yield AgentSpec(name="uniform", factory="my_agent:UniformAgent")
    """
    yield from ()


@hookspec
def mfbpi_environments() -> Iterable[EnvironmentSpec]:
    """Yield the environments of this plugin.

    Example:
        .. code-block:: python

            from mfbpi_core import EnvironmentSpec, hookimpl

            @hookimpl
            def mfbpi_environments():
                yield EnvironmentSpec(
                    name="two_rooms",
                    factory="my_rooms.environment:TwoRooms",  # called with the config
                    config="my_rooms.environment:Config",
                    summary="Two rooms joined by a door.",
                )
    """
    yield from ()


@hookspec
def mfbpi_bounds() -> Iterable[BoundSpec]:
    """Yield the bounds of this plugin.

    Example:
        .. code-block:: python

            from mfbpi_core import BoundSpec, hookimpl

            @hookimpl
            def mfbpi_bounds():
                yield BoundSpec(name="u", factory="my_bound.bound:U")  # (discount, config)
    """
    yield from ()


@hookspec
def mfbpi_metrics() -> Iterable[MetricSpec]:
    """Yield the metrics of this plugin.

    Example:
        .. code-block:: python

            from mfbpi_core import Column, MetricSpec, hookimpl

            @hookimpl
            def mfbpi_metrics():
                yield MetricSpec(
                    name="reward_rate",
                    factory="my_metric.metric:RewardRate",
                    columns=(Column(name="reward_rate", low=0.0, high=1.0),),
                )
    """
    yield from ()


@hookspec
def mfbpi_executors() -> Iterable[ExecutorSpec]:
    """Yield the executors of this plugin.

    Example:
        .. code-block:: python

            from mfbpi_core import ExecutorSpec, hookimpl

            @hookimpl
            def mfbpi_executors():
                yield ExecutorSpec(name="cluster", factory="my_cluster.executor:Cluster")
    """
    yield from ()


@hookspec
def mfbpi_experiments() -> Iterable[ExperimentSpec]:
    """Yield the experiments of this plugin.

    Example:
        .. code-block:: python

            # my_grid.py
            from mfbpi_core import Choice, Experiment, ExperimentSpec, RunGrid, hookimpl

            def grid(quick):
                agents = (Choice("mf_bpi", ensemble_size=(10, 50)),)
                environments = (Choice("riverswim", n_states=5 if quick else 20),)
                runs = RunGrid(agents=agents, environments=environments, seeds="0:4")
                return Experiment(summary="Does a larger ensemble help?", runs=runs)

            @hookimpl
            def mfbpi_experiments():
                yield ExperimentSpec(name="my/grid", factory="my_grid:grid")
    """
    yield from ()

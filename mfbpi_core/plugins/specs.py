"""What plugins of each kind declare, with a complete plugin of each as an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import attrs

from mfbpi_core.plugins.spec import Column as Column  # part of this module
from mfbpi_core.plugins.spec import Spec, are_free, check_flag, check_optional_import_string, one_of


def _words(value: Any) -> frozenset[str]:
    """Several words; one alone is no set of letters."""
    return frozenset((value,) if isinstance(value, str) else value)


@attrs.frozen(kw_only=True)
class AgentSpec(Spec):
    """An agent.

    Attributes:
        needs: what its environment must provide, such as ``{"states"}``: words of
            :mod:`mfbpi_core.plugins.capabilities`.
        preset: import string of a function from :class:`Problem` to a dictionary of parameters,
            published settings that replace the ``Config``'s defaults and give way to the user's.
        replicas: import string of a :class:`Replicas`, or of what builds one, for running several
            seeds at once; empty if there is none.

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

    needs: frozenset[str] = attrs.field(default=frozenset(), converter=_words)
    preset: str = attrs.field(default="", validator=check_optional_import_string)
    replicas: str = attrs.field(default="", validator=check_optional_import_string)


@attrs.frozen(kw_only=True)
class EnvironmentSpec(Spec):
    """An environment.

    Attributes:
        argument: the parameter that a text after a colon sets, as in ``bsuite:deep_sea/0``.
        features: words beyond :mod:`mfbpi_core.plugins.capabilities`, with what each promises.
        adopts: import string of ``(object, parameters)``: an environment made of an object.
        reads: endings of files that ``argument`` may name, such as ``(".csv",)``.
        writes: import string of ``(mdp, environment, discount, file)``, which writes such files.

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

    argument: str = ""
    features: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    adopts: str = attrs.field(default="", validator=check_optional_import_string)
    reads: tuple[str, ...] = ()
    writes: str = attrs.field(default="", validator=check_optional_import_string)


@attrs.frozen(kw_only=True)
class BoundSpec(Spec):
    """A bound.

    Example:
        .. code-block:: python

            from mfbpi_core import BoundSpec, hookimpl

            @hookimpl
            def mfbpi_bounds():
                yield BoundSpec(name="u", factory="my_bound.bound:U")  # (discount, config)
    """


@attrs.frozen(kw_only=True)
class MetricSpec(Spec):
    """A metric.

    Attributes:
        columns: what :meth:`Metric.measure` returns.
        needs: what the environment or the agent must provide: words of
            :mod:`mfbpi_core.plugins.capabilities`, or features that environments declare.
        default: whether it is measured wherever it applies, without being asked for.

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

    columns: tuple[Column, ...] = attrs.field(validator=are_free)
    needs: frozenset[str] = attrs.field(default=frozenset(), converter=_words)
    default: bool = True


#: A gap of at most epsilon; an optimal policy alone; or nothing proved.
Guarantee = Literal["eps-delta", "delta-exact", "none"]


@attrs.frozen(kw_only=True)
class StoppingRuleSpec(Spec):
    """A stopping rule.

    Attributes:
        guarantee: what holds with probability 1 - delta, for any agent and at all checks: the loss
            is at most epsilon (``"eps-delta"``, epsilon = 0 among them), the policy is optimal
            (``"delta-exact"``, epsilon = 0 alone), or nothing (``"none"``).
        exact: whether the rule knows epsilon = 0.

    Example:
        .. code-block:: python

            from mfbpi_core import StoppingRuleSpec, hookimpl

            @hookimpl
            def mfbpi_stopping_rules():
                yield StoppingRuleSpec(
                    name="my_rule", factory="my_rule.rule:MyRule", guarantee="eps-delta"
                )
    """

    guarantee: Guarantee = attrs.field(validator=one_of(*get_args(Guarantee)))
    exact: bool = attrs.field(default=True, validator=check_flag)


@attrs.frozen(kw_only=True)
class ExecutorSpec(Spec):
    """An executor.

    Example:
        .. code-block:: python

            from mfbpi_core import ExecutorSpec, hookimpl

            @hookimpl
            def mfbpi_executors():
                yield ExecutorSpec(name="cluster", factory="my_cluster.executor:Cluster")
    """


@attrs.frozen(kw_only=True)
class ExperimentSpec(Spec):
    """A published or named experiment.

    ``factory(quick)`` returns an :class:`mfbpi_core.Experiment`, small if ``quick``: two minutes.

    Example:
        .. code-block:: python

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

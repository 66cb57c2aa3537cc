"""Plugins whose specs, factories or configurations break one rule each."""

# ruff: noqa: D102 - methods are explained by their class

import attrs
from kit_good import OCCUPATION, Occupation, QLearner, QReplicas

from mfbpi_core import (
    AgentSpec,
    Column,
    EnvironmentSpec,
    ExperimentSpec,
    MetricSpec,
    hookimpl,
    parameter,
)
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.experiment import Choice, Experiment, InstanceStudy, RunGrid


@attrs.frozen(kw_only=True)
class Undefined:
    """A configuration with a parameter that has no default."""

    rate: float = attrs.field()


@attrs.frozen(kw_only=True)
class Unwritable:
    """A configuration that JSON cannot hold."""

    names: frozenset[str] = attrs.field(default=frozenset("ab"))


@attrs.frozen(kw_only=True)
class Rounded:
    """A configuration that comes back from JSON as another one."""

    rate: float = parameter(0.25, "rate", ge=0)
    times: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self):
        object.__setattr__(self, "rate", self.rate / 2)


class NotAnAgent:
    """Lacks the contract."""


class Unfinished(Agent):
    """Lacks methods of the contract."""

    def select_action(self, observation):
        return 0


def local_column():
    """A column of a class that no other process can import."""

    class Local(Column):
        pass

    return Local(name="occupation", low=0.0, high=1.0)


@hookimpl
def mfbpi_agents():
    """Yield agents whose factory or configuration is at fault."""
    q = f"{QLearner.__module__}:{QLearner.__name__}"
    for name in ("Undefined", "Unwritable", "Rounded"):
        yield AgentSpec(name=name.lower(), factory=q, config=f"{__name__}:{name}")
    for name in ("Missing", "NotAnAgent", "Unfinished", "OCCUPATION"):
        yield AgentSpec(name=name.lower(), factory=f"{__name__}:{name}")
    yield AgentSpec(name="linear", factory="kit_good:LinearQLearner", config="kit_good:Config")
    yield AgentSpec(
        name="preset", factory=q, config="kit_good:Config", preset=f"{__name__}:bad_preset"
    )
    for name in ("OneStream", "OneAgent"):
        yield AgentSpec(
            name=name.lower(), factory=q, config="kit_good:Config", replicas=f"{__name__}:{name}"
        )
    for name, needs in {"sates": {"sates"}, "nowhere": {"states", "arrays"}}.items():
        yield AgentSpec(name=name, factory=q, config="kit_good:Config", needs=needs)
    yield AgentSpec(name="noconfig", factory=q, config=f"{__name__}:OCCUPATION")
    yield AgentSpec(name="twolines", factory=q, config="kit_good:Config", summary="one\ntwo")


@hookimpl
def mfbpi_metrics():
    """Yield metrics whose columns are at fault."""
    factory = f"{Occupation.__module__}:{Occupation.__name__}"
    reversed_range = Column(name="occupation", low=1.0, high=0.0)
    columns = {
        "nocolumns": (),
        "twins": OCCUPATION + OCCUPATION,
        "reversed": (reversed_range,),
        "local": (local_column(),),
    }
    for name, declared in columns.items():
        yield MetricSpec(name=name, factory=factory, columns=declared)
    yield MetricSpec(name="cels", factory=factory, columns=OCCUPATION, needs={"cels"})


def empty(quick):
    """An experiment that does nothing."""
    return Experiment(summary="nothing")


def dictionary(quick):
    """An experiment that is none."""
    return {}


def grid(quick, rate=0.5, figure="kit_good:preset"):
    """An experiment with one agent."""
    grid = RunGrid(agents=(Choice("twolines", rate=rate),), environments=(Choice("argument"),))
    return Experiment(summary="one", runs=grid, figures={"it": figure})


def out_of_range(quick):
    """An experiment with a parameter out of its range."""
    return grid(quick, rate=(0.5, 1.5))


def no_figure(quick):
    """An experiment whose figure is not a function."""
    return grid(quick, figure="kit_good:OCCUPATION")


def both(quick):
    """An experiment whose small size has runs and a study."""
    study = InstanceStudy(environments=(Choice("argument"),), discounts=(0.9,))
    return attrs.evolve(grid(quick), studies=(study,) if quick else ())


def no_finding(quick):
    """An experiment whose finding does not exist."""
    return attrs.evolve(grid(quick), finding="kit_good:nothing")


class OneStream(QReplicas):
    """Replicas that all draw from the first one's generator."""

    def __init__(self, problem, config, rngs):
        super().__init__(problem, config, [rngs[0]] * len(rngs))


class OneAgent(QReplicas):
    """A single replica, however many generators there are."""

    def __init__(self, problem, config, rngs):
        super().__init__(problem, config, rngs[:1])


def bad_preset(problem):
    """Settings of which one is no parameter."""
    return {"rat": 0.1}


@hookimpl
def mfbpi_experiments():
    """Yield experiments at fault."""
    for name in ("empty", "dictionary", "out_of_range", "no_figure", "both", "no_finding"):
        yield ExperimentSpec(name=name, factory=f"{__name__}:{name}")


@hookimpl
def mfbpi_environments():
    """Yield an environment whose argument is no parameter."""
    yield EnvironmentSpec(name="argument", factory="kit_good:Chain", argument="size")

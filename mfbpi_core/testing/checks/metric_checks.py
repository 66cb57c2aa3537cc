"""Checks of metrics: range, no influence on the run, chunks, saved states."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import attrs
import numpy as np

from mfbpi_core.contracts.metric import Metric, Snapshot
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.row import Row
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.loop import Run
from mfbpi_core.running.measurement import checked
from mfbpi_core.running.state import restored
from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.subject import AGENT_SEED, Subject, World
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.tools.generators import require_independence
from mfbpi_core.testing.worlds.doubles import KitAgent, Recorder

#: Steps of a run, and the two evaluation intervals compared.
N_STEPS = 1_200
EVAL_EVERY = 100
EVAL_SELDOM = 200

#: Steps from one evaluation to the next where a run is followed by hand.
STAGES = (0, 100, 1, 99, 1_000)

_STREAMS = Streams(seed=AGENT_SEED)


@attrs.frozen
class _Trial:
    """One run with the metric: its rows, the transitions, the agent's end state."""

    rows: list[Row]
    transitions: list[Transitions]
    agent: dict[str, Any]


def values_are_finite_and_in_range(subject: Subject) -> None:
    """What is measured is finite, among the declared columns and within their range."""
    world, spec, rows = world_of(subject), subject.plugin.spec, 0
    metric, interaction = _metric(subject, world), _interaction(world)
    for steps in STAGES:
        snapshot = _advanced(interaction, metric, steps, spec.name)
        try:
            rows += len(checked(spec.name, metric.measure(snapshot), spec.columns))
        except PluginError as error:
            require(False, f"at step {snapshot.step}: {error}")
    require(rows, f"measured nothing in {sum(STAGES)} steps")
    for name, array in metric.arrays().items():
        require(isinstance(array, np.ndarray), f"arrays()[{name!r}] is {type(array).__name__}")


def run_is_not_changed(subject: Subject) -> None:
    """The transitions and the agent are the same with and without the metric."""
    world = world_of(subject)
    without = _trial(subject, world, EVAL_EVERY, measured=False)
    watched = _trial(subject, world, EVAL_EVERY)
    require_equal(without.transitions, watched.transitions, "measuring changes the transitions")
    require_equal(without.agent, watched.agent, "measuring changes the agent")


def chunks_do_not_matter(subject: Subject) -> None:
    """Evaluated half as often, the values at common steps are the same to the bit."""
    world = world_of(subject)
    often = _trial(subject, world, EVAL_EVERY).rows
    seldom = _trial(subject, world, EVAL_SELDOM).rows
    common = [_values(row) for row in often if row.step % EVAL_SELDOM == 0]
    what = f"evaluated every {EVAL_EVERY} and every {EVAL_SELDOM} steps, the values differ"
    require_equal(common, [_values(row) for row in seldom], what)


def saving_resumes(subject: Subject) -> None:
    """A metric saved and loaded, into one that has measured, goes on as one never saved does."""
    world = world_of(subject)
    metric, interaction = _metric(subject, world), _interaction(world)
    for steps in STAGES:
        snapshot = _advanced(interaction, metric, steps, subject.plugin.spec.name)
        state = restored(pickle.loads(pickle.dumps(metric.state_dict())))
        kept = copy.deepcopy(state)
        other = _used(subject, world)
        other.load_state_dict(state)
        value = metric.measure(snapshot)
        require_equal(value, other.measure(snapshot), "a loaded metric measures something else")
        require_equal(metric.state_dict(), other.state_dict(), "a loaded metric has another state")
        require_equal(kept, state, "measuring changed the state that was loaded")
        _require_arrays_kept(subject, world, other)
        metric = other


def _used(subject: Subject, world: World) -> Metric:
    """A metric that has measured a run: what it remembers must not outlast what is loaded."""
    metric, name = _metric(subject, world), subject.plugin.spec.name
    metric.measure(_advanced(_interaction(world), metric, EVAL_EVERY, name))
    return metric


def _require_arrays_kept(subject: Subject, world: World, metric: Metric) -> None:
    """A run that is killed after its last evaluation has its arrays from the saved state alone."""
    loaded = _metric(subject, world)
    loaded.load_state_dict(pickle.loads(pickle.dumps(metric.state_dict())))
    require_equal(metric.arrays(), loaded.arrays(), "a loaded metric has other arrays")


def global_generators_untouched(subject: Subject) -> None:
    """The global generators neither change nor matter."""
    world = world_of(subject)

    def run() -> object:
        """What was measured."""
        trial = _trial(subject, world, EVAL_EVERY)
        return [_values(row) for row in trial.rows]

    require_independence(run)


def world_of(subject: Subject) -> World:
    """Where the metric is checked; raises :class:`CheckSkipped` if there is no such place."""
    return subject.metric_world(_offered_by_agent)


def _offered_by_agent(problem: Problem) -> frozenset[str]:
    tabular = problem.n_states is not None
    return frozenset({"policy", "allocation"}) if tabular else frozenset()


def _metric(subject: Subject, world: World) -> Metric:
    rng = _STREAMS.generator(f"metric:{subject.plugin.spec.name}")
    problem = world.problem()
    also = subject.bound(problem)
    made: Metric = subject.made(problem=problem, environment=world.make(), rng=rng, **also)
    return made


def _agent(world: World) -> KitAgent:
    return KitAgent(world.problem(), None, _STREAMS.generator("agent"))


def _interaction(world: World) -> Interaction:
    return Interaction(world.make(), _agent(world), _STREAMS.integer("env"))


def _trial(subject: Subject, world: World, eval_every: int, *, measured: bool = True) -> _Trial:
    """A run of the kit's agent, watched by a recorder that comes after the metric."""
    name, agent = subject.plugin.spec.name, _agent(world)
    recorder = Recorder(world.problem(), world.make(), None, _STREAMS.generator("recorder"))
    metrics = {name: _metric(subject, world)} if measured else {}
    run = Run(
        environment=world.make(),
        agent=agent,
        metrics={**metrics, "the recorder": recorder},
        columns={name: subject.plugin.spec.columns, "the recorder": ()},
        streams=_STREAMS,
        horizon=N_STEPS,
        eval_every=eval_every,
    )
    return _Trial(list(run.rows()), recorder.chunks, agent.state_dict())


def _advanced(interaction: Interaction, metric: Metric, steps: int, name: str) -> Snapshot:
    """Advance, show the metric what happened, and give the moment to measure."""
    if steps:
        metric.observe(interaction.advance(steps))
    return Snapshot(
        step=interaction.step,
        episode=interaction.episode,
        agent=interaction.agent,
        metric=name,
        streams=_STREAMS,
    )


def _values(row: Row) -> tuple[object, ...]:
    return (row.step, row.episode, row.metric, row.value)


CHECKS = (
    values_are_finite_and_in_range,
    run_is_not_changed,
    chunks_do_not_matter,
    saving_resumes,
    global_generators_untouched,
)

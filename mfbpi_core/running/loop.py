"""A run: agent and environment advance, metrics observe and measure."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import attrs

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric, Snapshot
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.row import Row
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.plugins.specs import Column
from mfbpi_core.running.interaction import Interaction, longest_chunk
from mfbpi_core.running.measurement import checked
from mfbpi_core.running.stopping import Stopping


@attrs.define(kw_only=True)
class Run:
    """One run, from step 0 to its horizon.

    Attributes:
        environment: where the agent acts.
        agent: the agent.
        metrics: by name.
        columns: by metric name, the columns it may return, with their ranges.
        streams: the random streams of the run.
        horizon: number of steps.
        episodes: stop after so many episodes, if sooner.
        eval_every: steps between evaluations.
        stopping: the rule that may end the run before, or None.
        environment_name: how messages call the environment; by its class if empty.
        agent_name: how they call the agent.
        started: when the work on it began, on the clock of :func:`time.perf_counter`.
        interaction: the agent in its environment, started by the stream "env".
        begun: whether step 0 was measured.
        learning_s: seconds spent acting and learning so far.
        metrics_s: seconds spent in metrics so far.
        before_s: seconds that the run had taken in all when it was saved, if it was restored.
    """

    environment: Environment
    agent: Agent
    metrics: Mapping[str, Metric]
    columns: Mapping[str, Sequence[Column]]
    streams: Streams
    horizon: int
    episodes: int | None = None
    eval_every: int
    stopping: Stopping | None = None
    environment_name: str = ""
    agent_name: str = ""
    started: float = attrs.field(factory=time.perf_counter)
    interaction: Interaction = attrs.field(init=False)
    begun: bool = False
    learning_s: float = 0.0
    metrics_s: float = 0.0
    before_s: float = 0.0
    _told: list[Row] = attrs.field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        seed = self.streams.integer("env")
        self.interaction = Interaction(
            self.environment,
            self.agent,
            seed,
            environment_name=self.environment_name,
            agent_name=self.agent_name,
        )

    def rows(self) -> Iterator[Row]:
        """Run to the end; :meth:`evaluations`, one row at a time."""
        return (row for rows in self.evaluations() for row in rows)

    def evaluations(self) -> Iterator[list[Row]]:
        """Run, yielding the rows of step 0, of every ``eval_every`` steps, and of the end.

        Between two of them the run can be saved; a run that was restored goes on after the
        evaluation at which it was saved.

        Raises:
            PluginError: when a metric returns an undeclared column or a number outside its
                declared range; when the agent or the environment breaks its contract, see
                :class:`mfbpi_core.running.guard.Guard`.
        """
        if not self.begun:
            yield self.measure()
        while not self.ended:
            self._advance()
            if self.has_rows:
                yield self.latest()

    def latest(self) -> list[Row]:
        """What the rule has told since it was last asked for, and what is measured now, if due."""
        told, self._told = self._told, []
        return told + (self.measure() if self.due else [])

    def state_dict(self) -> StateDict:
        """Everything that running changes, as a copy."""
        return {
            "interaction": self.interaction.state_dict(),
            "metrics": {name: metric.state_dict() for name, metric in self.metrics.items()},
            "begun": self.begun,
            "learning_s": self.learning_s,
            "metrics_s": self.metrics_s,
            "total_s": self.total_s,
            **({} if self.stopping is None else {"stopping": self.stopping.state_dict()}),
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.interaction.load_state_dict(state["interaction"])
        for name, metric in self.metrics.items():
            metric.load_state_dict(state["metrics"][name])
        if self.stopping is not None:
            self.stopping.load_state_dict(state["stopping"])
        self.begun = state["begun"]
        self.learning_s = state["learning_s"]
        self.metrics_s = state["metrics_s"]
        self.before_s = state["total_s"]

    @property
    def total_s(self) -> float:
        """Seconds that the run has taken in all, also before it was restored."""
        return self.before_s + time.perf_counter() - self.started

    @property
    def ended(self) -> bool:
        """Whether the horizon, or the last episode, is reached, or the rule has stopped."""
        stopped = self.stopping is not None and self.stopping.stopped_at is not None
        return stopped or self.interaction.step >= self.horizon or self.episodes_left == 0

    @property
    def has_rows(self) -> bool:
        """Whether an evaluation is due, or the rule has told something."""
        return bool(self._told) or self.due

    @property
    def due(self) -> bool:
        """Whether an evaluation is due now."""
        return self.ended or self.interaction.step % self.eval_every == 0

    @property
    def steps_ahead(self) -> int:
        """Steps to the next evaluation or check, no more than fit into a chunk."""
        step = self.interaction.step
        following = (step // self.eval_every + 1) * self.eval_every
        if self.stopping is not None:
            following = min(following, self.stopping.due_at)
        return min(min(following, self.horizon) - step, longest_chunk(self.environment))

    @property
    def episodes_left(self) -> int | None:
        """Episodes to go, or None where nothing limits them."""
        return None if self.episodes is None else max(0, self.episodes - self.interaction.episode)

    def _advance(self) -> None:
        started = time.perf_counter()
        chunk = self.interaction.advance(self.steps_ahead, self.episodes_left)
        self.observe(chunk, time.perf_counter() - started)

    def observe(self, chunk: Transitions, learning_s: float) -> None:
        """Let the metrics and the rule see the latest steps, which took so long."""
        started = time.perf_counter()
        for metric in self.metrics.values():
            metric.observe(chunk)
        told = {} if self.stopping is None else self.stopping.observe(chunk)
        self.learning_s += learning_s
        self.metrics_s += time.perf_counter() - started
        self._told += [self._row(column, value) for column, value in told.items()]

    def measure(self) -> list[Row]:
        """The rows of this moment."""
        self.begun = True
        started, interaction = time.perf_counter(), self.interaction
        step, episode = interaction.step, interaction.episode
        moment = Snapshot(
            step=step, episode=episode, agent=self.agent, streams=self.streams, last=self.ended
        )
        measured = [
            each
            for name, metric in self.metrics.items()
            for each in self._measured(name, metric, moment).items()
        ]
        self.metrics_s += time.perf_counter() - started
        return [self._row(column, value) for column, value in measured]

    def _row(self, column: str, value: float) -> Row:
        step, episode = self.interaction.step, self.interaction.episode
        elapsed_s = self.learning_s + self.metrics_s
        return Row(step=step, episode=episode, metric=column, value=value, elapsed_s=elapsed_s)

    def _measured(self, name: str, metric: Metric, moment: Snapshot) -> dict[str, float]:
        return checked(name, metric.measure(moment.of(name)), self.columns[name])

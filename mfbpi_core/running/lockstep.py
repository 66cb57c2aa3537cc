"""Runs in lockstep: replicas of an agent, each in its own environment, advance step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

import attrs

from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.row import Row
from mfbpi_core.data.transitions import Transition
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.loop import Run


class Advancing(Protocol):
    """Runs, one or several, that advance together and are saved together."""

    def evaluations(self) -> Iterator[list[list[Row]]]:
        """Run to the end, yielding the rows of each run, some of them empty."""

    def state_dict(self) -> StateDict:
        """Everything that running changes, as a copy."""

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""


@attrs.define
class Alone:
    """A single run, as :class:`Lockstep` is several."""

    run: Run

    def evaluations(self) -> Iterator[list[list[Row]]]:
        """As :meth:`Run.evaluations`."""
        yield from ([rows] for rows in self.run.evaluations())

    def state_dict(self) -> StateDict:
        """That of the run."""
        return self.run.state_dict()

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.run.load_state_dict(state)


@attrs.define
class Lockstep:
    """Runs that differ in their seed alone, from step 0 to their ends.

    Each yields the rows that it would yield on its own, up to the rounding of numbers that the
    replicas compute together. A run whose episodes are over before those of the others idles along:
    its environment moves on, and is not measured any more.

    Attributes:
        replicas: the agents.
        runs: one for each replica, whose agent is that replica.
    """

    replicas: Replicas
    runs: Sequence[Run]

    def evaluations(self) -> Iterator[list[list[Row]]]:
        """Run, yielding the rows of each run, some of them empty; as :meth:`Run.evaluations`.

        Raises:
            PluginError: as :meth:`Run.evaluations`.
        """
        if not all(run.begun for run in self.runs):
            yield [run.measure() for run in self.runs]
        while any(running := [not run.ended for run in self.runs]):
            self._advance(running)
            pairs = list(zip(running, self.runs, strict=True))
            if any(going and run.has_rows for going, run in pairs):
                yield [run.latest() if going else [] for going, run in pairs]

    def _advance(self, running: list[bool]) -> None:
        """To the next evaluation, the end of a chunk, or that of a run."""
        started = time.perf_counter()
        taken = self._steps(running)
        chunks = [r.interaction.gathered(s) for r, s in zip(self.runs, taken, strict=True)]
        share = (time.perf_counter() - started) / sum(running)
        for going, run, chunk in zip(running, self.runs, chunks, strict=True):
            if going:
                run.observe(chunk, share)

    def _steps(self, running: list[bool]) -> list[list[Transition]]:
        """The next steps of each run, until one of those that are running must be looked at."""
        ours = [r for r, going in enumerate(running) if going]
        left = {r: self.runs[r].episodes_left for r in ours}
        taken: list[list[Transition]] = [[] for _ in self.runs]
        interactions = [run.interaction for run in self.runs]
        for _ in range(min(self.runs[r].steps_ahead for r in ours)):
            for steps, transition in zip(taken, step(self.replicas, interactions), strict=True):
                steps.append(transition)
            left = {r: n if n is None else n - taken[r][-1].ends_episode for r, n in left.items()}
            if 0 in left.values():
                break
        return taken

    def state_dict(self) -> StateDict:
        """Everything that running changes, as a copy."""
        return {
            "replicas": self.replicas.state_dict(),
            "runs": [run.state_dict() for run in self.runs],
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.replicas.load_state_dict(state["replicas"])
        for run, own in zip(self.runs, state["runs"], strict=True):
            run.load_state_dict(own)


def step(replicas: Replicas, interactions: Sequence[Interaction]) -> list[Transition]:
    """Take one step of every replica in its environment, and let all learn; not counted yet."""
    actions = replicas.select_actions([i.observation for i in interactions])
    transitions = [i.act(action) for i, action in zip(interactions, actions, strict=True)]
    replicas.update(transitions)
    return transitions

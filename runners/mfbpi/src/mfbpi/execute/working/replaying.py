"""The run of a certificate, again from its seed: does it have the same counts and verdict?"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from mfbpi.execute.working import compiled
from mfbpi.execute.working.stage import Stage
from mfbpi.plan import trust
from mfbpi_core.data.task import Task
from mfbpi_core.errors import MfbpiError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.stopping import Stopping
from mfbpi_core.text import described
from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.report import RefusedError

#: What a second run must give again: data, question and answer.
_COMPARED = (
    *("rule", "parameters", "n_states", "n_actions", "discount", "delta", "epsilon", "scope"),
    *("reward_range", "reward_law", "may_end", "terminal", "start", "cuts", "steps"),
    *("row_starts", "outcomes", "counts", "rewards", "known_rewards", "identified", "policy"),
)

#: Among the witnesses, what was seen at earlier checks.
_HISTORY = ("epochs", "counts_then", "rewards_then", "entry_rewards")

#: Sums of rewards may differ by so much, relatively, on another machine.
_ROUNDING = 1e-12


def replayed(
    path: Path,
    most_steps: int,
    progress: Callable[[int, int], None] | None = None,
    imports: Collection[str] = (),
) -> str:
    """Run the task of a valid certificate again, with the plugins that are installed, and compare.

    Args:
        path: the certificate.
        most_steps: a longer run is refused before it begins.
        progress: told at each check how many steps of how many have been run.
        imports: modules that the task may ask to import.

    Returns:
        What was run, in words.

    Raises:
        RefusedError: when it cannot be run, or has other counts or another verdict now.
        UntrustedError: when it asks to import another module.
        MfbpiError: when a plugin refuses it.
    """
    fields = storage.read(path)
    task = _task(fields["task"])
    steps = int(fields["steps"])
    if steps > most_steps:
        raise RefusedError(
            f"its run takes {steps:,} steps, more than {most_steps:,}; a larger `most_steps` "
            "runs it again"
        )
    registry = Registry.discover()
    compiled.find_place(registry)
    try:
        trust.check(assembly.find(registry, "environment", task.environment), imports)
        run = _run(registry, task, steps, progress or _untold)
    except (RefusedError, MfbpiError):
        raise
    except Exception as error:  # of a plugin, whose parameters come from the file
        raise RefusedError(f"its task cannot be run: {described(error)}") from error
    if run.stopped_at is None or run.verdict is None:
        raise RefusedError(f"the rule does not stop the run within {run.counts.steps} steps")
    now = _fields(run, task)
    different = list(_differences(fields, now))
    if different:
        raise RefusedError(f"run again, it has other {', '.join(different)}")
    return f"{task.label}: the same counts and verdict after {run.stopped_at} steps"


def _task(fields: Any) -> Task:
    if fields is None:
        raise RefusedError("it names no task to run again: its data came from elsewhere")
    try:
        task = Task.from_json(json.dumps(fields))
    except (TypeError, KeyError, ValueError, AttributeError, MfbpiError) as error:
        raise RefusedError("its task is none that can be run") from error
    if task.stop is None:
        raise RefusedError("its task has no stopping rule")
    if not all(isinstance(ref.name, str) for ref in (task.agent, task.environment, task.stop.rule)):
        raise RefusedError("its task is none that can be run: a name is no text")
    if "#" in task.agent.name + task.environment.name:
        raise RefusedError("its task needs a class without packaging, which no file brings along")
    return task


def _untold(done: int, steps: int) -> None:
    """Nobody asked for progress."""


def _run(
    registry: Registry, task: Task, steps: int, progress: Callable[[int, int], None]
) -> Stopping:
    """The run until its rule stops it, for no more steps than are claimed."""
    stage = Stage.of(registry, task)
    agent = assembly.agent(registry, stage.agent, stage.problem, stage.streams.generator("agent"))
    stopping = stage.stopping()
    if stopping is None:
        raise RefusedError("its environment has no integer states")
    walk = Interaction(stage.environment, agent, stage.streams.integer("env"))
    while stopping.stopped_at is None and stopping.due_at <= min(steps, task.horizon):
        progress(stopping.counts.steps, steps)
        stopping.observe(walk.advance(stopping.due_at - stopping.counts.steps))
    return stopping


def _fields(run: Stopping, task: Task) -> dict[str, Any]:
    """The certificate of the second run, as it would be read."""
    assert run.verdict is not None  # it has stopped
    files = run.rule.certificate(
        run.counts, run.verdict, version=metadata.version("mfbpi"), task=task.as_dict()
    )
    if not files:
        raise RefusedError(f"rule {run.name} writes no certificates")
    with tempfile.TemporaryDirectory() as place:
        for name, data in files.items():
            (Path(place) / (name or "certificate.json")).write_bytes(data)
        return storage.read(Path(place) / "certificate.json")


def _differences(then: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Names of what differs."""
    for name in _COMPARED:
        if not _same(then[name], now[name]):
            yield f"`{name}`"
    for name in _HISTORY:
        if not _same(then["witnesses"].get(name), now["witnesses"].get(name)):
            yield f"`witnesses.{name}`"


def _same(one: Any, other: Any) -> bool:
    """Equal, numbers up to rounding."""
    if isinstance(one, str | dict | None) or isinstance(other, str | dict | None):
        return bool(one == other)
    first, second = np.asarray(one), np.asarray(other)
    if first.shape != second.shape:
        return False
    return bool(np.allclose(first, second, rtol=_ROUNDING, atol=0.0))

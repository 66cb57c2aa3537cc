"""Tasks for checking executors: functions that any worker can import and run."""

from __future__ import annotations

import os
import signal
import time

from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import PluginRef, Task

#: Seed of the task that ends badly, in the functions where one does.
UNLUCKY_SEED = 1

#: What the exception of :func:`fail_once` says.
CAUSE = "this task fails on purpose"

#: What :func:`die_once` reports in place of dying when there is no worker of its own to kill.
IN_DRIVER = ".in_driver"

#: What :func:`speak` prints.
SPOKEN = "a task speaks"

#: Seconds that a task may take, and that the unlucky one takes, in :func:`dawdle_once`.
LIMIT_S, DAWDLE_S = 1.0, 5.0


def tasks(count: int) -> list[Task]:
    """Tasks that differ in their seed only, and know the process that made them."""
    environment = PluginRef(name="kit", config={"driver": os.getpid()})
    agent = PluginRef(name="kit")
    return [
        Task(
            agent=agent,
            environment=environment,
            metrics=(),
            seed=seed,
            horizon=1,
            eval_every=1,
            discount=0.9,
        )
        for seed in range(count)
    ]


def succeed(text: str) -> Outcome:
    """Succeed with the task itself as the table; even seeds take a little longer."""
    task = Task.from_json(text)
    if task.seed % 2 == 0:
        time.sleep(0.02)
    return Outcome(task_id=task.task_id, status="done", tables={".txt": text.encode()})


def fail_once(text: str) -> Outcome:
    """Raise for the unlucky seed, succeed for the others."""
    if Task.from_json(text).seed == UNLUCKY_SEED:
        raise RuntimeError(CAUSE)
    return succeed(text)


def die_once(text: str) -> Outcome:
    """Kill the worker that has the unlucky seed, as the system does when memory runs out."""
    task = Task.from_json(text)
    if task.seed != UNLUCKY_SEED:
        return succeed(text)
    if os.getpid() == task.environment.config["driver"]:
        return Outcome(task_id=task.task_id, status="done", tables={IN_DRIVER: b""})
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    raise RuntimeError("the worker outlived its kill signal")


def speak(text: str) -> Outcome:
    """Print, then succeed."""
    print(SPOKEN)  # noqa: T201 - what an executor must cope with
    return succeed(text)


def dawdle_once(text: str) -> Outcome:
    """Take longer than the limit for the unlucky seed."""
    if Task.from_json(text).seed == UNLUCKY_SEED:
        time.sleep(DAWDLE_S)
    return succeed(text)

"""Executors that each break one rule."""

# ruff: noqa: D102 - methods are explained by their class

import concurrent.futures
import contextlib
import multiprocessing
import sys

import attrs
from kit_good import Serial

from mfbpi_core import ExecutorSpec, Outcome, hookimpl


class LosesLast(Serial):
    """Forgets the last task."""

    def map(self, run, tasks):
        return super().map(run, tasks[:-1])


class RunsTwice(Serial):
    """Reports the first task twice."""

    def map(self, run, tasks):
        return super().map(run, [*tasks[:1], *tasks])


class MixesUp(Serial):
    """Loses the tables when several may run at a time."""

    def one(self, run, task):
        outcome = super().one(run, task)
        return outcome if self.jobs == 1 else attrs.evolve(outcome, tables={})


class StopsAtFailure(Serial):
    """Lets the exception of a task through."""

    def one(self, run, task):
        with contextlib.redirect_stdout(sys.stderr):
            return run(task.to_json())


class HidesCause(Serial):
    """Reports failures without their cause."""

    def one(self, run, task):
        outcome = super().one(run, task)
        return attrs.evolve(outcome, error="it failed") if outcome.error else outcome


class BreaksPool(Serial):
    """Uses a pool that breaks as a whole when one of its workers dies."""

    def map(self, run, tasks):
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            futures = {task.task_id: pool.submit(run, task.to_json()) for task in tasks}
            for task_id, future in futures.items():
                try:
                    yield future.result()
                except Exception as error:
                    yield Outcome(task_id=task_id, status="failed", error=repr(error))


class LetsPrint(Serial):
    """Leaves standard output to the tasks."""

    def one(self, run, task):
        try:
            return run(task.to_json())
        except Exception as error:
            return Outcome(task_id=task.task_id, status="failed", error=repr(error))


class ForgetsLimit(Serial):
    """Takes a time limit and does nothing about it."""

    def limit_time(self, seconds):
        pass


@hookimpl
def mfbpi_executors():
    """Yield one executor for each class."""
    for name, kind in globals().items():
        if isinstance(kind, type) and kind.__module__ == __name__:
            yield ExecutorSpec(name=name.lower(), factory=f"{__name__}:{name}")

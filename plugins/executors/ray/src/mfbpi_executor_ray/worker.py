"""What runs in a worker of the cluster: one task after the other, what it prints kept apart."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import ray

from mfbpi_core import Outcome
from mfbpi_executor_ray import versions

#: Bytes of what a task prints that are passed on; of more, the end.
_MOST_PRINTED = 1 << 20

#: By which libraries know with how many threads to compute; Ray sets that of OpenMP itself.
_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

#: Set in processes that run tasks, so that they warn in plain lines.
_MARK = "MFBPI_WORKER"


class Worker:
    """An actor that runs tasks, on whatever machine Ray has put it."""

    def __init__(self, pickled_run: bytes, expected: Mapping[str, str], threads: int) -> None:
        """Take the function.

        Args:
            pickled_run: the function.
            expected: the programs that the driver has.
            threads: with how many a task computes.
        """
        os.environ[_MARK] = ray.get_runtime_context().get_actor_id() or "ray"
        for name in _THREADS:
            os.environ[name] = str(threads)
        self._differing = versions.differences(expected, versions.here())
        self._run = None if self._differing else ray.cloudpickle.loads(pickled_run)

    def begin(self) -> tuple[str, list[str]]:
        """The node that it is on, and which programs differ there."""
        return ray.get_runtime_context().get_node_id(), self._differing

    def attempt(self, text: str) -> tuple[Outcome | str, bytes]:
        """The outcome of a task, or the traceback of what it raised; and what it printed."""
        assert self._run is not None
        with tempfile.TemporaryFile() as printed:
            with _printing_to(printed):
                try:
                    outcome: Outcome | str = self._run(text)
                except BaseException:  # even SystemExit is the task's
                    outcome = traceback.format_exc()
            size = printed.seek(0, os.SEEK_END)
            printed.seek(max(0, size - _MOST_PRINTED))
            return outcome, printed.read()


@contextmanager
def _printing_to(file: IO[bytes]) -> Iterator[None]:
    """What Python, compiled code and subprocesses print in this block goes to a file."""
    _flush()
    before = [os.dup(number) for number in (1, 2)]
    try:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
        yield
    finally:
        _flush()
        for number, kept in zip((1, 2), before, strict=True):
            os.dup2(kept, number)
            os.close(kept)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    ctypes.CDLL(None).fflush(None)

"""Beside what a task computes: handing it out, collecting its rows, sharing the cores.

Other work on the machine makes every wall time longer; so each is given beside something that is
measured in the same moments, or with its CPU time.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

import mfbpi
from mfbpi.results.storage import table
from mfbpi_core.data.task import Task

N_TASKS = 1_000

#: Rows of the table that is collected.
N_ROWS = 10_000_000

ROUNDS = 3

_BIN = Path(sys.executable).parent

#: Collects, and says how much memory that took at most.
_COLLECT = """
import resource, sys
from mfbpi.results.collecting.collect import collect
print(collect(sys.argv[1]).n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def rows() -> Iterator[str]:
    """One line for each cost."""
    with tempfile.TemporaryDirectory(prefix="mfbpi-bench-") as name:
        folder = Path(name)
        yield from _handing_out(folder)
        yield _collecting(folder / "collected")
        yield from _two_workers(folder)


def _handing_out(folder: Path) -> Iterator[str]:
    """Tiny tasks, the start of the workers included."""
    for executor, target in (("serial", None), ("process", 20), ("ray", 30)):
        empty = f", an empty Ray task {_empty_ray_task():.2f} ms" if executor == "ray" else ""
        before = _cpu_s()
        started = time.perf_counter()
        _tiny_tasks(executor, folder / executor)
        wall = (time.perf_counter() - started) / N_TASKS * 1e3
        cpu = (_cpu_s() - before) / N_TASKS * 1e3
        aim = f" (target {target})" if target else ""
        yield (
            f"{N_TASKS} tiny tasks, {executor}: {wall:.1f} ms each{aim}, CPU {cpu:.1f} ms of the "
            f"driver and workers that have ended{empty}"
        )


def _tiny_tasks(executor: str, out: Path) -> None:
    mfbpi.run(
        "uniform",
        "riverswim",
        seeds=range(N_TASKS),
        steps=10,
        metrics="visit_entropy",
        out=out,
        executor=executor,
        jobs=None if executor == "serial" else 2,
    )


def _empty_ray_task() -> float:
    """Milliseconds for a task of Ray's that does nothing, one after the other."""
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    empty = ray.remote(_nothing)
    ray.get([empty.remote() for _ in range(4)])
    started = time.perf_counter()
    for _ in range(N_TASKS):
        ray.get(empty.remote())
    return (time.perf_counter() - started) / N_TASKS * 1e3


def _nothing() -> None:
    """That is all."""


def _cpu_s() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _collecting(folder: Path) -> str:
    """Many rows of many tasks into one table, in a process of its own."""
    n_tasks = _fill(folder)
    before = _cpu_s()
    started = time.perf_counter()
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _COLLECT, str(folder)],
        capture_output=True,
        check=True,
    )
    wall, cpu = time.perf_counter() - started, _cpu_s() - before
    n_rows, most = map(int, told.stdout.split())
    return (
        f"collect: {n_rows / 1e6:.2f} million rows of {n_tasks} tasks in {wall:.0f} s (target 60), "
        f"CPU {cpu:.0f} s, {most / 1e3:.0f} MB at most (target 2,000)"
    )


def _fill(folder: Path) -> int:
    """Results as a run would have written them, but for the numbers; returns how many."""
    made = mfbpi.run(
        "q_learning",
        "riverswim",
        seeds=0,
        steps=62 * 200,
        eval_every=200,
        out=folder,
        executor="serial",
    )
    content, task = table.read(made.files[0]), made.tasks[0]
    n_tasks = -(-N_ROWS // content.num_rows)
    for seed in range(1, n_tasks):
        other = attrs.evolve(task, seed=seed)
        (folder / f"{other.task_id}.parquet").write_bytes(_as_of(content, other))
    return n_tasks


def _as_of(content: Any, task: Task) -> bytes:
    """A table with the rows of another task."""
    import pyarrow as pa

    origin = {**table.provenance(content), "task_id": task.task_id, "task": task.as_dict()}
    n_rows = content.num_rows
    ids = pa.array([task.task_id] * n_rows).dictionary_encode()
    seeds = pa.array([task.seed] * n_rows, pa.int64())
    names = content.column_names
    for name, column in (("task_id", ids), ("seed", seeds)):
        content = content.set_column(names.index(name), content.schema.field(name), column)
    return table.to_bytes(table.with_provenance(content, origin))


def _two_workers(folder: Path) -> Iterator[str]:
    """A run with two workers, and two serial ones that know nothing of each other, in turn."""
    ratios = []
    for number in range(ROUNDS):
        together = _sweeps(folder / f"together{number}", [["--jobs", "2"]])
        halves = [["--seeds", seeds, "--executor", "serial"] for seeds in ("0:2", "2:4")]
        apart = _sweeps(folder / f"apart{number}", halves)
        ratios.append(apart / together)
        yield f"paper/riverswim --quick: {together:.1f} s with two workers, {apart:.1f} s apart"
    ratios.sort()
    yield (
        f"two workers: {ratios[len(ratios) // 2]:.2f} of the throughput of two processes (target "
        f"0.95), from {ratios[0]:.2f} to {ratios[-1]:.2f}"
    )


def _sweeps(out: Path, several: list[list[str]]) -> float:
    """Seconds until all of these sweeps, begun together, have ended."""
    command = [str(_BIN / "mfbpi"), "sweep", "paper/riverswim", "--quick", "--quiet", "--json"]
    started = time.perf_counter()
    running = [
        subprocess.Popen(
            [*command, *arguments, "--out", f"{out}-{number}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for number, arguments in enumerate(several)
    ]
    codes = [each.wait() for each in running]
    assert codes == [0] * len(codes)
    return time.perf_counter() - started

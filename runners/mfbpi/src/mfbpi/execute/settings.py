"""How a plan is carried out, declared once: options, arguments and defaults derive from it."""

from __future__ import annotations

from typing import Literal

import attrs

from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.parameters import count, setting

IfExists = Literal["fail", "resume", "overwrite"]

#: Seconds between checkpoints: short runs write none, and a killed one loses little.
CHECKPOINT_EVERY_S = 300.0


@attrs.frozen(kw_only=True)
class Execution:
    """How a plan is carried out.

    Attributes:
        out: directory of the results; None for a new one.
        if_exists: what to do where it holds results.
        shard: which part of the tasks, as ``"I/N"``; None for all of them.
        executor: name of the executor.
        executor_settings: its parameters, as ``"key=value"``.
        jobs: tasks at the same time; None for one per core.
        replicas: seeds that run together in one process, where the agent has replicas.
        task_timeout: most seconds for a task; None for no limit.
        checkpoint_every: seconds between checkpoints of a long run; 0 for none.
        checkpoint_dir: directory in which they lie; None for that of the results.
        save_agent: whether agents are kept as they are in the end.
    """

    out: Place | None = setting(
        None,
        "Directory of the results, or a URL such as s3://BUCKET/PATH. Default: a new one below "
        "results/.",
        metavar="DIR",
        expected="the path of a directory, or a URL",
    )
    if_exists: IfExists = setting(
        "fail",
        "What to do where DIR holds results.",
        metavar="",
        expected="one of fail, resume, overwrite",
    )
    shard: str | None = setting(
        None,
        "Run part I of N alone, I from 0 to N-1; the others run elsewhere, into the same DIR.",
        metavar="I/N",
        expected="a text such as '0/16'",
    )
    executor: str = setting(
        "process", "Where tasks run.", metavar="NAME", expected="the name of an executor"
    )
    executor_settings: tuple[str, ...] = setting(
        (),
        "Parameter of the executor; repeatable.",
        metavar="KEY=VALUE",
        expected="a list of texts such as 'key=value'",
    )
    jobs: int | None = count(None, "Tasks at the same time. Default: one per core.")
    replicas: int = count(
        1,
        "Seeds that run together in one process, where the agent has replicas. Resume "
        "with the same N.",
    )
    task_timeout: float | None = setting(
        None,
        "Stop a task that takes longer, and report it as failed; for seeds that run "
        "together, N times as long. Default: no limit.",
        metavar="SECONDS",
        expected="a number above 0",
        gt=0.0,
    )
    checkpoint_every: float = setting(
        CHECKPOINT_EVERY_S,
        "Save long runs so often, so that resume goes on inside them; 0: never.",
        metavar="SECONDS",
        expected="a number of 0 or more",
        ge=0.0,
    )
    checkpoint_dir: Place | None = setting(
        None,
        "Directory of these checkpoints, such as one on a faster disk; resume with the same. "
        "Default: that of the results, or one of this machine where DIR is a URL.",
        metavar="DIR",
        expected="the path of a directory, or a URL",
    )
    save_agent: bool = setting(
        False,
        "Keep each agent as it is in the end, to act with it or to learn on: see `mfbpi play`.",
        metavar="",
        expected="true or false",
    )

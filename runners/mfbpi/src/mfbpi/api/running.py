"""Grids of agents, environments and seeds."""

from __future__ import annotations

from collections.abc import Iterable

from mfbpi.api import given
from mfbpi.api.given import Plugin, Seeds, World
from mfbpi.execute import session
from mfbpi.execute.reports.counting import Watching, observer
from mfbpi.execute.settings import CHECKPOINT_EVERY_S, Execution, IfExists
from mfbpi.execute.working import compiled
from mfbpi.notices import warn
from mfbpi.plan import grid, selection, unchanged
from mfbpi.results import failures as failing
from mfbpi.results import loaded
from mfbpi.results.loaded import Results
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.contracts.stopping import Scope
from mfbpi_core.plugins.registry import Registry


@unchanged.running()
def run(
    agents: Plugin | Iterable[Plugin],
    environments: World | Iterable[World],
    seeds: Seeds | None = None,
    *,
    steps: int | None = None,
    episodes: int | None = None,
    eval_every: int | None = None,
    discount: float | None = None,
    metrics: Plugin | Iterable[Plugin] = (),
    arrays: bool = False,
    stop: Plugin | None = None,
    delta: float | None = None,
    epsilon: float | None = None,
    scope: Scope = "all",
    allow_heuristic: bool = False,
    out: str | Place | None = None,
    if_exists: IfExists = "fail",
    shard: str | None = None,
    executor: Plugin = "process",
    jobs: int | None = None,
    replicas: int = 1,
    task_timeout: float | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY_S,
    checkpoint_dir: str | Place | None = None,
    save_agent: bool = False,
    progress: Watching = None,
) -> Results:
    """Run every agent on every environment with every seed.

    What is not given follows the environment's published protocol. A task that fails does not end
    the run: it is warned of, and in ``failures`` of what is returned. The rows are those of
    ``mfbpi run``, bit for bit.

    Args:
        agents: names, ``"./FILE.py:CLASS"``, classes of a notebook or script, or what
            :func:`mfbpi.agent` returns.
        environments: the same, models of :func:`mfbpi.mdp`, and paths of models' files; see
            :func:`mfbpi.environment`.
        seeds: one, several, or a text such as ``"0:10"``.
        steps: steps of each run.
        episodes: episodes of each run.
        eval_every: steps between evaluations.
        discount: gamma.
        metrics: what is measured, the same; all that apply if empty.
        arrays: whether the metrics' arrays are kept.
        stop: stopping rule that may end a run before its horizon: a name, or what
            :func:`mfbpi.stopping_rule` returns.
        delta: risk that it may take; 0.1 if None.
        epsilon: loss that it may accept; 0, an optimal policy, if None.
        scope: states that matter to it.
        allow_heuristic: whether it may be one without a guarantee.
        out: directory of the results; a new one below ``results`` if None.
        if_exists: what to do where it holds results: ``"resume"`` runs what is missing,
            ``"overwrite"`` runs all again, and results of other tasks are set aside.
        shard: which part of the tasks, such as ``"0/4"``, ``"1/4"``, ...; the other parts run
            elsewhere, into the same ``out``.
        executor: where tasks run: a name, or what :func:`mfbpi.executor` returns.
        jobs: tasks at the same time; one for each core if None.
        replicas: seeds that run together in one process, where the agent has replicas.
        task_timeout: most seconds for a task.
        checkpoint_every: seconds between checkpoints of a long run; 0 for none.
        checkpoint_dir: directory in which they lie; that of the results if None.
        save_agent: whether agents are kept as they are in the end, see :meth:`Results.agent`.
        progress: called with the number of tasks that have ended, and of all; or an observer; or
            True, which counts them on standard error.

    Raises:
        UsageError: when it cannot be run as asked.
        Interrupted: a KeyboardInterrupt, after Ctrl-C, once the workers have stopped; what was
            done is kept, and ``if_exists="resume"`` goes on.
        StoppedError: when results cannot be written any more, or no worker can be had.

    Example:
        >>> import mfbpi
        >>> results = mfbpi.run(
        ...     agents=["uniform", mfbpi.agent("q_ucb", bonus_scale=0.1)],
        ...     environments=["riverswim"], seeds=range(2), steps=200, executor="serial",
        ... )
        >>> results.table.num_rows > 0
        True
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    planned = grid.make(
        registry,
        selection.given(registry, "agent", given.several("agents", agents)),
        selection.given(registry, "environment", given.worlds(environments)),
        RunSettings(
            seeds=given.seeds_text(seeds),
            steps=steps,
            episodes=episodes,
            eval_every=eval_every,
            discount=discount,
            **given.measured(metrics),
            arrays=arrays,
            **given.stopping(stop, delta=delta, epsilon=epsilon, scope=scope),
            allow_heuristic=allow_heuristic,
        ),
    )
    execution = given.execution(
        out=out,
        if_exists=if_exists,
        shard=shard,
        executor=executor,
        jobs=jobs,
        replicas=replicas,
        task_timeout=task_timeout,
        checkpoint_every=checkpoint_every,
        checkpoint_dir=checkpoint_dir,
        save_agent=save_agent,
    )
    return carried_out(registry, planned, execution, progress)


def carried_out(
    registry: Registry,
    planned: grid.TaskPlan,
    execution: Execution,
    progress: Watching,
) -> Results:
    """Carry out a plan; the results of its tasks. What failed is warned of."""
    carried = session.carry_out(registry, planned, execution, observer(progress))
    results = loaded.of_tasks(carried.store.directory, carried.plan.tasks)
    for sentence in failing.noted(results.failures, results.tasks):
        warn(f"{results.directory}: {sentence}; see `failures`")
    return results

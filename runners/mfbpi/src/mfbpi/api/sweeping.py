"""Experiments: published ones by name, and grids written in TOML files."""

from __future__ import annotations

from mfbpi.api import given
from mfbpi.api.given import Plugin, Seeds
from mfbpi.api.running import carried_out
from mfbpi.execute.reports.counting import Watching, observer
from mfbpi.execute.settings import CHECKPOINT_EVERY_S, IfExists
from mfbpi.execute.working import compiled
from mfbpi.instances.tabulation import Tabulated, tabulate
from mfbpi.notices import note
from mfbpi.plan import experiments, unchanged
from mfbpi.results.drawing import figures
from mfbpi.results.loaded import Results
from mfbpi.results.storage.places import Place
from mfbpi_core.plugins.registry import Registry


@unchanged.running()
def sweep(
    what: str | Place,
    /,
    *,
    quick: bool = False,
    seeds: Seeds | None = None,
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
) -> Results | Tabulated:
    """Run an experiment, or the grid of a TOML file, and draw its figures.

    Args:
        what: its name, see ``mfbpi.list_plugins("experiment")``, or a file that ends in .toml.
        quick: the small size of an experiment.
        seeds: other seeds.
        out: see :func:`mfbpi.run`, as for all that follow.
        if_exists: what to do where ``out`` holds results.
        shard: which part of the tasks; figures are drawn where all of them are run.
        executor: where tasks run.
        jobs: tasks at the same time.
        replicas: seeds that run together.
        task_timeout: most seconds for a task.
        checkpoint_every: seconds between checkpoints.
        checkpoint_dir: where they lie.
        save_agent: whether agents are kept as they are in the end, see :meth:`Results.agent`.
        progress: told how far the work has come; True counts on standard error.

    Returns:
        The results of its runs; for one that tabulates instances, the table.

    Raises:
        UsageError: when it cannot be done as asked.
        Interrupted: after Ctrl-C; see :func:`mfbpi.run`.

    Example:
        >>> import mfbpi
        >>> study = mfbpi.sweep("paper/instances", quick=True)
        >>> study.table.num_rows > 0
        True
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    experiment = experiments.find(registry, str(what), quick)
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
    text = given.seeds_text(seeds)
    if experiment.runs is None:
        experiments.refuse_for_studies(str(what), text, execution)
        return tabulate(registry, str(what), experiment, execution, observer(progress))
    planned = experiments.planned(registry, experiment, text)
    results = carried_out(registry, planned, execution, progress)
    if not results.failures and shard is None:
        figures.draw_runs(experiment.figures, results.directory)
        if experiment.notes:
            note(experiment.notes)
    return results

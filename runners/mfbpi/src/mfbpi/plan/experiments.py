"""Experiments by name or from a file, and the grids of those that run something."""

from __future__ import annotations

from pathlib import Path

from mfbpi.execute.settings import Execution
from mfbpi.plan import grid, selection, sweep_file
from mfbpi_core.contracts.experiment import Experiment
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.assembly import blaming
from mfbpi_core.plugins.registry import Registry


def find(registry: Registry, what: str, quick: bool) -> Experiment:
    """An experiment by its name, or the sweep of a TOML file.

    Raises:
        UsageError: when there is none, or the file is wrong.
    """
    if what.endswith(".toml"):
        return sweep_file.load(Path(what))
    plugin = registry.get("experiment", what)
    with blaming(plugin):
        built: Experiment = plugin.load_factory()(quick)
    return built


def refuse_for_studies(what: str, seeds: str | None, execution: Execution) -> None:
    """Refuse what means nothing where nothing is run; raises :class:`UsageError`."""
    meaningless = ("task_timeout", execution.task_timeout), ("shard", execution.shard)
    for field, given in (("seeds", seeds), *meaningless):
        if given is not None:
            raise UsageError(f"{what} tabulates instances and runs nothing; leave out `{field}`")


def planned(registry: Registry, experiment: Experiment, seeds: str | None) -> grid.TaskPlan:
    """The grid of an experiment that has runs, with other seeds unless None."""
    runs = experiment.runs
    assert runs is not None
    return grid.make(
        registry,
        selection.listed(registry, "agent", runs.agents),
        selection.listed(registry, "environment", runs.environments),
        runs.with_seeds(seeds),
        runs.discounts,
    )

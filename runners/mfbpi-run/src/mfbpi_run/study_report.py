"""What ``mfbpi sweep`` says of studies: how many instances, or the summary of the table."""

from __future__ import annotations

from collections.abc import Sequence

from mfbpi.execute.settings import Execution
from mfbpi.instances import draws
from mfbpi.instances.tabulation import Tabulated, instances, tabulate
from mfbpi.results.drawing import figures
from mfbpi_core.contracts.experiment import Experiment
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.exit_codes import FAILED, INTERRUPTED
from mfbpi_run.job import Shown
from mfbpi_run.screen.output import say, show_json, show_table, tell
from mfbpi_run.screen.progress import Progress

#: Longer summaries are left to the table.
_SHOWN_LINES = 200


def run(
    registry: Registry, name: str, experiment: Experiment, execution: Execution, shown: Shown
) -> int:
    """Tabulate every instance; returns the exit code.

    Raises:
        UsageError: when it cannot be done as asked.
    """
    if shown.dry_run:
        _show_plan(name, len(instances(experiment)), shown.as_json)
        return 0
    try:
        progress = Progress(visible=shown.progress)
        found = tabulate(registry, name, experiment, execution, progress)
    except KeyboardInterrupt:
        tell("interrupted: no table was written")
        return INTERRUPTED
    for path in found.figures:
        tell(f"figure: {path}")
    return _show(found, experiment, shown.as_json)


def _show_plan(name: str, count: int, as_json: bool) -> None:
    if as_json:
        show_json({"experiment": name, "instances": count})
    else:
        say(f"{name}: {count} instances would be tabulated")


def _show(found: Tabulated, experiment: Experiment, as_json: bool) -> int:
    """Print the summary; returns the exit code."""
    lines = list(draws.averaged(found.content))
    finding = figures.derived(experiment.finding, found.content) if experiment.finding else ""
    if as_json:
        texts = {"finding": finding, "notes": experiment.notes}
        out = {"out": str(found.store.directory), "failed": found.n_failed}
        show_json({**out, **texts, "summary": lines})
    else:
        _show_summary(lines)
        for text in filter(None, (finding, experiment.notes)):
            say(text)
        say(f"table: {found.path}")
    if found.n_failed:
        what = "1 value" if found.n_failed == 1 else f"{found.n_failed} values"
        tell(f"{what} could not be computed: see the column reason of the table")
    return FAILED if found.n_failed else 0


def _show_summary(lines: Sequence[JsonObject]) -> None:
    """Print the lines as a table, unless they are too many; columns that say nothing are left out.

    Args:
        lines: what :func:`mfbpi.instances.draws.averaged` yields, at least one.
    """
    if len(lines) > _SHOWN_LINES:
        return
    empty = (None, 0)
    columns = [name for name in lines[0] if any(line[name] not in empty for line in lines)]
    rows = [tuple(_cell(line[name]) for name in columns) for line in lines]
    headings = [name.replace("_", " ") for name in columns]
    show_table(headings, rows, caption=draws.CAPTION, right=("mean", "median", "n", "left out"))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return f"[{value[0]:.6g}, {value[1]:.6g}]"
    return f"{value:.7g}" if isinstance(value, float) else str(value)

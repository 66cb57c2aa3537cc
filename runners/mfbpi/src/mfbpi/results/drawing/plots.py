"""Figures of anybody's runs: curves, final scores, stopping times, maps of visits."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs

from mfbpi.results.drawing import figures, gathering, plot_maps
from mfbpi.results.drawing.gathering import Runs
from mfbpi.results.loaded import Results
from mfbpi.results.storage.directory import unwritable
from mfbpi.results.storage.files import atomic_write, make_folder
from mfbpi.results.storage.places import Place, parse
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import Column
from mfbpi_core.running import stopping
from mfbpi_core.running.stopping import STOPPING_TIME
from mfbpi_core.text import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from mfbpi_lib_figures.runs import Quantity

Kind: TypeAlias = Literal["curves", "scores", "stops", "maps"]
Statistic: TypeAlias = Literal["mean", "median"]

KINDS: tuple[Kind, ...] = ("curves", "scores", "stops", "maps")
STATISTICS: tuple[Statistic, ...] = ("mean", "median")

#: Most runs have neither a rule nor arrays: no reason to say so each time.
_SELDOM: tuple[Kind, ...] = ("stops", "maps")

#: What file names are made of, and their greatest length.
_UNSAFE, _LONGEST = re.compile(r"[^A-Za-z0-9.+-]+"), 120


@attrs.frozen(kw_only=True, eq=False)
class Plots:
    """Figures of runs.

    Attributes:
        figures: matplotlib figures by file stem, such as ``"curves_value_ratio"``.
        notes: a sentence on each figure that there is not, and why.
    """

    figures: dict[str, Figure]
    notes: list[str]

    def _repr_html_(self) -> str:
        """All of them, as a notebook shows them."""
        drawings = (figures.content(each, "svg").decode() for each in self.figures.values())
        return "\n".join(text[text.index("<svg") :] for text in drawings)

    def save(self, folder: str | Place, suffix: str = "svg") -> list[Place]:
        """Write the figures, each whole, and return the files.

        Args:
            folder: where to; made if it is not there.
            suffix: ``"svg"``, ``"png"`` or ``"pdf"``.

        Raises:
            UsageError: when a file cannot be written.
        """
        paths = []
        for stem, figure in self.figures.items():
            path = parse(folder) / f"{stem}.{suffix}"
            content = figures.content(figure, suffix)
            try:
                make_folder(path.parent)
                atomic_write(path, content)
            except OSError as error:
                raise unwritable(path, error) from error
            paths.append(path)
        return paths


def plot(
    results: Results,
    *,
    metrics: str | Sequence[str] = (),
    kinds: Kind | Sequence[Kind] = (),
    statistic: Statistic = "mean",
    registry: Registry | None = None,
) -> Plots:
    """Draw results, those of several directories together.

    Args:
        results: what was loaded.
        metrics: columns, or metrics all of whose columns are drawn, one or several; everything
            measured if empty.
        kinds: what to draw; if empty all, without maps where metrics are given.
        statistic: over seeds.
        registry: where labels and ranges of the metrics come from.

    Raises:
        UsageError: when there are no results, or two that cannot be told apart, a kind is none,
            a metric was not measured, matplotlib is not installed, or nothing can be drawn.
    """
    _need_matplotlib()
    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    chosen = _kinds(kinds) or (_of_metrics(metrics) if metrics else KINDS)
    if statistic not in STATISTICS:
        raise UsageError(f"`statistic` is {statistic!r}; expected one of {', '.join(STATISTICS)}")
    if not results.found:
        raise UsageError("there is nothing to draw: no task is done")
    runs = gathering.gather(results, arrays="maps" in chosen)
    quantities = _quantities(runs.rows, metrics, registry or Registry.discover())
    made, notes = _Stems(), []
    for kind in dict.fromkeys(chosen):
        found, problem = _draw(kind, runs, quantities, statistic)
        for stem, figure in found:
            made.add(stem, figure)
        notes += [problem] if problem and (kind not in _SELDOM or kinds) else []
    if not made.figures:
        raise UsageError(f"there is nothing to draw: {'; '.join(notes)}")
    return Plots(figures=made.figures, notes=notes)


def _kinds(given: Kind | Sequence[Kind]) -> tuple[Kind, ...]:
    """One or several kinds; raises :class:`UsageError` for what is none."""
    kinds: tuple[Kind, ...] = (given,) if isinstance(given, str) else tuple(given)
    for kind in kinds:
        if kind not in KINDS:
            hint = did_you_mean(str(kind), KINDS)
            raise UsageError(f"`kinds` has {kind!r}; {hint}expected some of {', '.join(KINDS)}")
    return kinds


def _of_metrics(metrics: Sequence[str]) -> tuple[Kind, ...]:
    """What is drawn of the metrics that were asked for; stopping times are no scores."""
    if STOPPING_TIME not in metrics:
        return KINDS[:2]
    return KINDS[2:3] if set(metrics) == {STOPPING_TIME} else KINDS[:3]


def _need_matplotlib() -> None:
    try:
        importlib.import_module("matplotlib.figure")
        importlib.import_module("mfbpi_lib_figures")
    except ModuleNotFoundError as error:
        missing = (error.name or "matplotlib").partition(".")[0]
        raise UsageError(
            f"drawing needs {missing}, which is not installed: pip install 'mfbpi[plot]'"
        ) from error


class _Stems:
    """Figures by stems that are fit for file names, each once."""

    def __init__(self) -> None:
        self.figures: dict[str, Figure] = {}

    def add(self, stem: str, figure: Figure) -> None:
        """Take a figure, under another name where two are called alike."""
        name = _UNSAFE.sub("_", stem)[:_LONGEST].strip("_")
        count = 1
        while (chosen := name if count == 1 else f"{name}_{count}") in self.figures:
            count += 1
        self.figures[chosen] = figure


def _quantities(rows: pa.Table, asked: Sequence[str], registry: Registry) -> list[Quantity]:
    """The metrics to draw with label and range; those of plugins that are gone have neither."""
    from mfbpi_lib_figures.runs import Quantity

    specs = {column.name: column for column in _columns(registry)}
    quantities = []
    for name in _names(rows, asked, registry):
        spec = specs.get(name)
        quantities.append(
            Quantity(name=name, label=spec.label, low=spec.low, high=spec.high)
            if spec
            else Quantity(name=name)
        )
    return quantities


def _columns(registry: Registry) -> Iterator[Column]:
    for plugin in registry.of_kind("metric"):
        yield from plugin.spec.columns
    yield from stopping.COLUMNS


def _names(rows: pa.Table, asked: Sequence[str], registry: Registry) -> list[str]:
    """Columns that were measured: those asked for, or all of them."""
    # A mean of stopping times would leave out the runs that did not stop.
    asked = [name for name in asked if name != STOPPING_TIME] if asked else asked
    measured = sorted(set(rows["metric"].unique().to_pylist()) - {STOPPING_TIME})
    if not asked:
        return measured
    groups = {name: [name] for name in measured}
    for plugin in registry.of_kind("metric"):
        own = [column.name for column in plugin.spec.columns if column.name in groups]
        if own:
            groups.setdefault(plugin.spec.name, own)
    return list(dict.fromkeys(column for name in asked for column in _group(name, groups)))


def _group(name: str, groups: Mapping[str, list[str]]) -> list[str]:
    if name in groups:
        return groups[name]
    hint = did_you_mean(name, groups)
    raise UsageError(
        f"no {name!r} was measured in these results; {hint}measured were: "
        f"{', '.join(column for key, own in groups.items() for column in own if key == column)}"
    )


def _draw(
    kind: Kind, runs: Runs, quantities: Sequence[Quantity], statistic: Statistic
) -> tuple[Iterable[tuple[str, Figure]], str]:
    """The figures of a kind by stem, and a sentence where there are none or too few."""
    if kind == "maps":
        return plot_maps.draw(runs.arrays)
    if kind == "stops":
        return _stops(runs.rows)
    if not quantities:
        return [], "nothing was measured in these runs"
    if kind == "scores":
        from mfbpi_lib_figures.scores import final_scores

        return [("scores", final_scores(runs.rows, quantities, statistic=statistic))], ""
    return _curves(runs.rows, quantities, statistic)


def _stops(rows: pa.Table) -> tuple[list[tuple[str, Figure]], str]:
    from mfbpi_lib_figures.stopping import has_stops, stopping_curves

    if not has_stops(rows):
        return [], "no run had a stopping rule; run them with `stop`"
    return [("stops", stopping_curves(rows))], ""


def _curves(
    rows: pa.Table, quantities: Sequence[Quantity], statistic: Statistic
) -> tuple[list[tuple[str, Figure]], str]:
    """Curves of what was measured more than once in some run, and what was not."""
    from mfbpi_lib_figures.learning import learning_curves
    from mfbpi_lib_figures.runs import curves

    drawn: list[tuple[str, Figure]] = []
    single = []
    for quantity in quantities:
        runs = [run for seeds in curves(rows, quantity.name).values() for run in seeds.values()]
        if max(len(run.steps) for run in runs) > 1:
            figure = learning_curves(rows, quantity, statistic=statistic)
            drawn.append((f"curves_{quantity.name}", figure))
        else:
            single.append(quantity.name)
    return drawn, _once(single)


def _once(single: Sequence[str]) -> str:
    if not single:
        return ""
    verb = "was" if len(single) == 1 else "were"
    return (
        f"{', '.join(single)} {verb} measured once in each run, which makes no curve; set "
        "`eval_every` to measure more often"
    )

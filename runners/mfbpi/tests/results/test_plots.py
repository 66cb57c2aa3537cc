"""Figures of runs: what is in them, told by tables and arrays made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi.results.drawing import gathering, plot_maps, plots
from mfbpi.results.loaded import Array, load
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import PluginRef, Task
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry

Write = Callable[..., Path]

# What is written here has no manifest, which is warned of.
pytestmark = pytest.mark.filterwarnings("ignore::mfbpi_core.errors.MfbpiWarning")


@pytest.fixture
def write() -> Write:
    """Writes a run of which a metric had these values at steps 0, 100, ...; and an array."""

    def write_run(
        folder: str = "x",
        agent: str = "a",
        seed: int = 0,
        values: tuple[float, ...] = (0.0, 0.5),
        *,
        metric: str = "rate",
        horizon: int = 100,
        array: Any = None,
    ) -> Path:
        task = Task(
            agent=PluginRef(name=agent),
            environment=PluginRef(name="ring", label="ring(n_states=3)"),
            metrics=(),
            seed=seed,
            horizon=horizon,
            eval_every=100,
            discount=0.9,
            arrays=array is not None,
        )
        origin = {"schema_version": 1, "task_id": task.task_id, "task": attrs.asdict(task)}
        rows = [
            Row(step=100 * i, episode=0, metric=metric, value=value, elapsed_s=0.0)
            for i, value in enumerate(values)
        ]
        tables = {".parquet": table.to_bytes(table.rows_table(task, rows, origin))}
        if array is not None:
            kept = table.arrays_table(task, {("count", "visits"): np.array(array)}, origin)
            tables[".arrays.parquet"] = table.to_bytes(kept)
        outcome = Outcome(task_id=task.task_id, status="done", tables=tables)
        Path(folder).mkdir(exist_ok=True)
        return Store(Path(folder)).save(task, outcome)

    return write_run


def axes(figure: Any) -> list[Any]:
    """The panels that are not empty."""
    return [each for each in figure.axes if each.axison]


def test_curves_have_range_and_label_of_the_metric(write: Write, registry: Registry) -> None:
    """The toy's rate is in [0, 1] and has no label: its name in words."""
    for seed, last in enumerate((0.2, 0.4)):
        write(seed=seed, values=(0.0, last))

    found = plots.plot(load("x"), registry=registry).figures

    assert list(found) == ["curves_rate", "scores"]
    (panel,) = axes(found["curves_rate"])
    assert found["curves_rate"].get_supylabel() == "rate"
    assert panel.get_title() == "ring(n_states=3)"
    np.testing.assert_allclose(panel.lines[0].get_ydata(), [0.0, 0.3])
    assert panel.get_ylim() == pytest.approx((-0.04, 1.04))
    assert "mean over n = 2 seeds" in found["curves_rate"].get_supxlabel()


def test_metrics_of_plugins_that_are_gone_are_drawn(write: Write, registry: Registry) -> None:
    """Unbounded, under their names in words."""
    write(metric="long_gone", values=(-5.0, 30.0))

    found = plots.plot(load("x"), registry=registry).figures

    assert found["curves_long_gone"].get_supylabel() == "long gone"
    np.testing.assert_allclose(axes(found["curves_long_gone"])[0].lines[0].get_ydata(), [-5, 30])


def test_results_have_plots_that_a_notebook_shows(write: Write) -> None:
    """And that can be saved."""
    write()

    found = load("x").plot(metrics=["rate"], kinds=["curves"])

    assert found._repr_html_().startswith("<svg")
    assert found.save("figures", "pdf") == [Path("figures/curves_rate.pdf")]


def test_a_text_is_one_kind_or_metric_and_an_unknown_kind_is_refused(write: Write) -> None:
    """Neither letters nor nothing; the message has the kinds that there are."""
    write()
    found = load("x")

    assert list(found.plot(kinds="curves").figures) == ["curves_rate"]
    assert list(found.plot(kinds="scores").figures) == ["scores"]
    assert list(found.plot(metrics="rate", kinds="curves").figures) == ["curves_rate"]
    wrong: Any
    for wrong in (["nope"], "nope", ["curves", "nope"]):
        with pytest.raises(UsageError, match=r"`kinds` has 'nope'.*curves, scores, stops, maps"):
            found.plot(kinds=wrong)
    with pytest.raises(UsageError, match="`statistic` is 'mode'; expected one of mean, median"):
        found.plot(statistic="mode")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no 'rat' was measured"):
        found.plot(metrics="rat")


def test_median_is_said_in_the_caption(write: Write, registry: Registry) -> None:
    """With its own interval."""
    for seed, last in enumerate((0.1, 0.2, 0.9)):
        write(seed=seed, values=(0.0, last))

    found = plots.plot(load("x"), statistic="median", registry=registry).figures

    assert found["scores"].get_supxlabel().startswith("median over n = 3 seeds, 95 % bootstrap")


def test_runs_of_two_directories_with_one_name_are_told_apart(write: Write) -> None:
    """By the names of their directories; a task that is in both counts once."""
    write("x", horizon=100)
    write("y", horizon=100)
    once = gathering.gather(load("x", "y")).rows
    write("y", seed=1, horizon=100)
    write("y", horizon=200)
    apart = gathering.gather(load("x", "y")).rows

    assert once["agent"].to_pylist() == ["a", "a"]
    assert sorted(set(apart["agent"].to_pylist())) == ["x: a", "y: a"]


def test_two_runs_of_one_directory_with_one_name_are_refused(write: Write) -> None:
    """A curve of both would be neither's."""
    write(horizon=100)
    write(horizon=200)

    with pytest.raises(UsageError, match="x holds 2 runs of a on ring"):
        gathering.gather(load("x"))


def test_visits_are_means_over_seeds(write: Write, registry: Registry) -> None:
    """[2, 0, 4] and [4, 0, 0]: 3, blank, 2; the agents below each other."""
    write(seed=0, array=[2, 0, 4])
    write(seed=1, array=[4, 0, 0])
    write(agent="b", array=[1, 1, 1])

    found = plots.plot(load("x"), kinds=["maps"], registry=registry).figures

    assert list(found) == ["visits_ring_n_states_3"]
    first, second = (panel for panel in found["visits_ring_n_states_3"].axes if panel.images)
    assert first.images[0].get_array().tolist() == [[3.0, None, 2.0]]
    assert first.get_title() == "ring(n_states=3): a, mean over n = 2 seeds"
    assert second.get_title() == "ring(n_states=3): b, one seed"


def test_allocations_stand_below_the_optimum() -> None:
    """Counts of pairs as shares of the samples."""

    def kept(name: str, values: Any, agent: str = "a") -> Array:
        return Array(
            agent=agent,
            env="e",
            seed=0,
            metric="allocation",
            name=name,
            values=np.array(values, float),
        )

    optimum = kept("optimal_allocation", [[0.75, 0.25]])
    drawn, problem = plot_maps.draw([optimum, kept("pair_visits", [[1, 3]])])

    figures = dict(drawn)
    assert problem == ""
    assert list(figures) == ["visits_e", "allocation_e"]
    above, below = (panel for panel in figures["allocation_e"].axes if panel.images)
    assert above.get_title() == "e: optimal allocation"
    assert above.images[0].get_array().tolist() == [[0.75], [0.25]]
    assert below.images[0].get_array().tolist() == [[0.25], [0.75]]


def test_grids_are_summed_over_actions_and_pairs_of_variables_have_their_own_maps() -> None:
    """As DeepSea and cartpole keep them."""
    grid = Array(
        agent="a", env="sea", seed=0, metric="m", name="choices", values=np.ones((5, 5, 2))
    )
    pair = Array(
        agent="a", env="pole", seed=0, metric="m", name="x|theta", values=np.ones((16, 16))
    )

    figures = dict(plot_maps.draw([grid, pair])[0])

    assert list(figures) == ["visits_sea", "visits_x_theta_pole"]
    assert figures["visits_sea"].axes[0].images[0].get_array().tolist() == [[2.0] * 5] * 5


def test_file_names_are_safe_and_unique() -> None:
    """Whatever labels say."""
    stems = plots._Stems()
    for label in ("visits_../../etc", "visits_x(a=1)", "visits_x_a_1"):
        stems.add(label, None)

    assert list(stems.figures) == ["visits_.._.._etc", "visits_x_a_1", "visits_x_a_1_2"]


def test_columns_of_installed_metrics_have_labels() -> None:
    """Axes say more than names of columns."""
    unlabelled = [
        column.name
        for plugin in Registry.discover().of_kind("metric")
        for column in plugin.spec.columns
        if plugin.distribution.startswith("mfbpi-metric-") and not column.label
    ]

    assert unlabelled == []

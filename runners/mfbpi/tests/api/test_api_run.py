"""``mfbpi.run``, ``mfbpi.load`` and the results as an object."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mfbpi as library
from mfbpi.results.collected import collected
from mfbpi.results.storage.reading import read
from mfbpi_core.data.task import Task
from mfbpi_core.errors import MfbpiNote

FEW: dict[str, Any] = {"environments": "ring", "executor": "inline"}


def rows(results: library.Results) -> list[dict[str, Any]]:
    """The rows but for the time that they took."""
    return collected(results.found).drop_columns(["elapsed_s"]).to_pylist()


def test_run_equals_the_command(mfbpi: Callable[..., Any]) -> None:
    """Same tasks, so the same files, and same rows; integers count as floats where these are."""
    grid = ("--agent", "biased", "--env", "ring", "-A", "bias=1", "-E", "n_states=4")
    run = ("--metric", "rate", "--seeds", "0:2", "--executor", "inline", "--out", "command")
    assert mfbpi("run", *grid, *run).code == 0

    results = library.run(
        agents=library.agent("biased", bias=1),
        environments=[library.environment("ring", n_states=4)],
        metrics=["rate"],
        seeds=range(2),
        out="library",
        executor="inline",
    )

    assert rows(results) == rows(library.load("command"))
    manifests = [json.loads(Path(d, "_run.json").read_text()) for d in ("library", "command")]
    assert manifests[0] == manifests[1]
    assert {"mfbpi", "mfbpi-core"} <= set(results.found[0].origin["plugins"])


def test_tuples_are_several_agents_and_configuration_is_columns() -> None:
    """One agent for each value; what one of them lacks is null in its rows."""
    agents = ["plain", library.agent("biased", bias=(0.25, 0.75))]
    table = library.run(agents=agents, seeds=0, **FEW).table

    pairs = zip(table["agent"].to_pylist(), table["agent.fail_at_seed"].to_pylist(), strict=True)
    assert set(pairs) == {("plain", None), ("biased(bias=0.25)", -1), ("biased(bias=0.75)", -1)}
    assert set(table["agent.bias"].to_pylist()) == {0.25, 0.5, 0.75}
    assert set(table["env.n_states"].to_pylist()) == {3}


@pytest.mark.parametrize("seeds", [range(2), "0:2", [0, 1], (s for s in (0, 1))])
def test_seeds_may_be_any_iterable_or_a_text(seeds: Any) -> None:
    """They are all the same."""
    results = library.run(agents="plain", seeds=seeds, **FEW)

    assert [task.seed for task in results.tasks] == [0, 1]


def test_failures_have_their_causes() -> None:
    """The others are done, and loading finds the same."""
    agents = library.agent("biased", fail_at_seed=1)
    with pytest.warns(library.MfbpiWarning):
        results = library.run(agents=agents, seeds=range(3), out="x", **FEW)

    assert [task.seed for task in results.tasks] == [0, 2]
    (failure,) = results.failures
    assert failure.task.seed == 1
    assert "RuntimeError" in failure.cause
    assert "Traceback" in failure.error
    with pytest.warns(library.MfbpiWarning):
        loaded = library.load("x")
    assert loaded.failures == results.failures
    assert loaded.table == results.table


def test_directory_in_which_all_have_failed_says_why(mfbpi: Callable[..., Any]) -> None:
    """Whoever reads it: the cause of the first seed, and how many there are."""
    agents = library.agent("biased", fail_at_seed=1)
    with pytest.warns(library.MfbpiWarning):
        library.run(agents=agents, seeds=[1], out="x", **FEW)
    message = r"x holds no results: what has ended has failed \(1 tasks\); .*seed 1: .*seed 1 fails"

    with pytest.raises(library.UsageError, match=message):
        library.load("x")
    for command in ("collect", "plot"):
        ended = mfbpi(command, "x")
        assert ended.code == 2
        assert "seed 1 fails" in ended.err


def test_failures_are_warned_of_and_noted_below_the_summary() -> None:
    """How many of how many runs, with the first cause, also of an agent of which none is done."""
    agents = [library.agent("biased", fail_at_seed=1), library.agent("biased", fail_at_seed=0)]
    said = r"1 of 1 runs of biased\(fail_at_seed=0\) on ring failed .*seed 0: .*seed 0 fails"
    with pytest.warns(library.MfbpiWarning, match=said) as caught:
        alone = library.run(agents=agents, seeds=0, out="x", **FEW)
    assert len(caught) == 1
    assert alone.summary().notes == [str(caught[0].message)[len("x: ") : -len("; see `failures`")]]

    with pytest.warns(library.MfbpiWarning, match="1 of 3 runs"):
        results = library.run(agents=agents[0], seeds=range(3), out="y", **FEW)

    (note,) = results.summary().notes
    assert note.startswith("1 of 3 runs of biased(fail_at_seed=1) on ring failed")
    assert {line.n for line in results.summary().lines} == {2}


def test_results_are_those_of_the_run_and_load_reads_all() -> None:
    """More seeds in the same directory are other tasks."""
    library.run(agents="plain", seeds=0, out="x", **FEW)
    more = library.run(agents="plain", seeds=1, out="x", if_exists="resume", **FEW)

    assert [task.seed for task in more.tasks] == [1]
    assert [task.seed for task in library.load("x").tasks] == [0, 1]


def test_several_directories_and_the_old_layout() -> None:
    """Each task once; arrays are found where earlier versions kept them."""
    library.run(agents="plain", seeds=0, out="x", arrays=True, **FEW)
    library.run(agents="plain", seeds=1, out="y", arrays=True, **FEW)
    new = [(each.seed, each.values.tolist()) for each in library.load("x", "y").arrays()]
    for file in Path("y/_arrays").iterdir():
        file.rename(Path("y") / f"{file.stem}.arrays.parquet")
    Path("y/_run.json").rename("y/run.json")

    results = library.load("x", "y")

    assert [task.seed for task in results.tasks] == [0, 1]
    assert [(each.seed, each.values.tolist()) for each in results.arrays()] == new
    assert {seed for seed, _ in new} == {0, 1}
    with pytest.raises(library.UsageError, match="2 directories"):
        _ = results.directory


def test_summary_is_readable_everywhere() -> None:
    """As text, as HTML and as a data frame, with the same numbers."""
    summary = library.run(agents="plain", seeds="0:2", metrics="rate", **FEW).summary()

    (line,) = summary.lines
    assert summary.to_pandas()["mean"].tolist() == [line.mean]
    for text in (str(summary), summary._repr_html_()):
        assert "t-interval" in text
        assert f"{line.mean:.4g}" in text


def test_results_show_their_summary_in_a_notebook() -> None:
    """Below how many tasks they are of, and where."""
    results = library.run(agents="plain", seeds="0:2", metrics="rate", out="a<b", **FEW)

    shown = results._repr_html_()

    assert shown.startswith("<p>&lt;Results of 2 tasks: a&lt;b&gt;</p><table>")
    assert results.summary()._repr_html_() in shown


def test_frame_has_the_columns_of_the_table() -> None:
    """One row for each row."""
    results = library.run(agents="plain", seeds=0, **FEW)

    frame = results.to_pandas()

    assert list(frame.columns) == results.table.column_names
    assert len(frame) == results.table.num_rows


def test_progress_is_told_to_a_function() -> None:
    """After each task, of how many."""
    told: list[tuple[int, int]] = []
    library.run(agents="plain", seeds=range(2), progress=lambda *n: told.append(n), **FEW)

    assert told == [(0, 2), (1, 2), (2, 2)]


def test_progress_may_be_counted_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """One line that is written again; nothing without it."""
    library.run(agents="plain", seeds=range(2), progress=True, **FEW)
    assert capsys.readouterr().err == "\r0 of 2 tasks\r1 of 2 tasks\r2 of 2 tasks\n"

    library.run(agents="plain", seeds=range(2), progress=False, **FEW)
    assert capsys.readouterr().err == ""


def test_scalars_of_numpy_are_numbers() -> None:
    """In settings, seeds and parameters, so that the tasks are those of plain numbers."""
    numpy = library.run(
        library.agent("biased", bias=(np.float32(0.25), np.float64(0.5))),
        library.environment("ring", n_states=np.int64(4)),
        np.int64(1),
        steps=np.int64(40),
        eval_every=np.array(20),
        discount=np.float32(0.5),
        executor="inline",
        jobs=np.int64(1),
    )
    plain = library.run(
        library.agent("biased", bias=(0.25, 0.5)),
        library.environment("ring", n_states=4),
        1,
        steps=40,
        eval_every=20,
        discount=0.5,
        executor="inline",
    )

    assert [task.to_json() for task in numpy.tasks] == [task.to_json() for task in plain.tasks]
    assert library.make_environment("ring", n_states=np.int64(4)).n_states == 4
    with pytest.raises(library.UsageError, match=r"`steps` is 2\.5; expected a whole number"):
        library.run("plain", steps=np.float64(2.5), **FEW)


def test_directories_are_loaded_as_arguments() -> None:
    """A list of them is refused in words."""
    with pytest.raises(library.UsageError, match=r"is \[\]; expected .* each as an argument"):
        library.load([])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"agents": "plane"}, "did you mean plain"),
        ({"agents": []}, "`agents` is empty"),
        ({"agents": [1]}, "`agents` has 1; expected names"),
        ({"seeds": []}, "`seeds` is"),
        ({"seeds": [0, 0.5]}, "`seeds` has 0.5"),
        ({"seeds": 2.0}, "`seeds` has 2.0; expected a whole number"),
        ({"seeds": True}, "`seeds` has True"),
        ({"agents": None}, "`agents` is None; expected names"),
        ({"agents": 3}, "`agents` is 3; expected names"),
        ({"metrics": 3}, "`metrics` is 3; expected names"),
        ({"stop": 3}, "`stop` is 3; expected names, classes derived from StoppingRule, or what"),
        ({"progress": "yes"}, "`progress` is 'yes'; expected True"),
        ({"out": 3}, "a place of results is 3; expected the path"),
        ({"seeds": "x"}, "`seeds` 'x'"),
        ({"discount": 2.0}, "`discount` is 2"),
        ({"agents": library.agent("plain", wait=1)}, "unknown parameter 'wait'"),
    ],
)
def test_errors_name_arguments(wrong: dict[str, Any], message: str) -> None:
    """And no flags."""
    with pytest.raises(library.UsageError, match=message) as caught:
        library.run(**{"agents": "plain", **FEW, **wrong})
    assert "--" not in str(caught.value)


def test_interrupt_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a KeyboardInterrupt that says how far the run has come, which can be resumed."""

    def stop(ended: int, _total: int) -> None:
        if ended == 1:
            raise KeyboardInterrupt

    with pytest.raises(library.Interrupted) as caught:
        library.run(agents="plain", seeds=range(3), out="x", progress=stop, **FEW)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert (caught.value.done, caught.value.total) == (1, 3)

    resumed = library.run(agents="plain", seeds=range(3), out="x", if_exists="resume", **FEW)
    assert len(resumed.tasks) == 3
    assert isinstance(resumed.tasks[0], Task)
    assert read(resumed.files[0]).task == resumed.tasks[0]


def test_a_number_of_seeds_is_one_seed() -> None:
    """A note says so; a list of one is meant."""
    with pytest.warns(MfbpiNote, match=r"one seed, number 8: range\(8\) runs 8 seeds"):
        results = library.run(agents="plain", seeds=8, **FEW)
    again = library.run(agents="plain", seeds=[8], **FEW)

    assert [task.seed for task in results.tasks] == [task.seed for task in again.tasks] == [8]

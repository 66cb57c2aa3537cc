"""``mfbpi plot``: files, formats, several directories, and what is wrong said in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]

STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def one_line(ended: Any) -> str:
    """The one line on standard error of a refused command."""
    assert ended.code == 2
    (line,) = ended.err.splitlines()
    return str(line)


def test_figures_lie_beside_the_results(toy_run: Command, mfbpi: Command) -> None:
    """Curves of what was measured and the final scores, with their paths on standard output."""
    toy_run("--out", "x", "--metric", "rate", "--metric", "noise")
    ended = mfbpi("plot", "x")

    names = ("curves_noise.svg", "curves_rate.svg", "scores.svg")
    assert ended.code == 0
    assert ended.out.splitlines() == [f"x/_figures/{name}" for name in names]
    assert ended.err == ""
    assert sorted(path.name for path in Path("x/_figures").iterdir()) == list(names)


@pytest.mark.parametrize("suffix", STARTS)
def test_formats(suffix: str, toy_run: Command, mfbpi: Command) -> None:
    """Each is what its name says, and the same each time, whenever it is drawn."""
    toy_run("--out", "x")
    arguments = ("plot", "x", "--kind", "curves", "--format", suffix, "--json")
    first = mfbpi(*arguments, "--out", "a").json
    mfbpi(*arguments, "--out", "b")

    assert first == {"figures": [f"a/curves_rate.{suffix}"], "notes": []}
    content = Path(f"a/curves_rate.{suffix}").read_bytes()
    assert content.startswith(STARTS[suffix])
    assert content == Path(f"b/curves_rate.{suffix}").read_bytes()


def test_metrics_go_by_their_names_or_those_of_columns(mfbpi: Command) -> None:
    """``value_error`` has two columns; where metrics are given there are no maps."""
    few = ("--env", "riverswim", "--seeds", "0", "--steps", "400", "--executor", "inline")
    metrics = ("--metric", "value_error", "--metric", "allocation", "--arrays")
    mfbpi("run", "--agent", "q_learning", *few, *metrics, "--out", "x")
    both = mfbpi("plot", "x", "--metric", "value_error", "--json").json["figures"]
    one = mfbpi("plot", "x", "--metric", "value_ratio", "--json").json["figures"]
    maps = mfbpi("plot", "x", "--kind", "maps", "--json").json["figures"]

    folder = "x/_figures"
    assert one == [f"{folder}/curves_value_ratio.svg", f"{folder}/scores.svg"]
    assert both == [one[0], f"{folder}/curves_value_error_2.svg", one[1]]
    assert maps == [f"{folder}/visits_riverswim.svg", f"{folder}/allocation_riverswim.svg"]


def test_a_single_evaluation_has_no_curve_and_that_is_said(
    toy_run: Command, mfbpi: Command
) -> None:
    """One sentence instead of an empty figure; the scores are drawn."""
    toy_run("--out", "x", "--metric", "rate", "--steps", "20", "--eval-every", "20")
    ended = mfbpi("plot", "x")
    alone = mfbpi("plot", "x", "--kind", "curves")

    assert ended.out == "x/_figures/scores.svg\n"
    assert ended.err == (
        "note: rate was measured once in each run, which makes no curve; set --eval-every to "
        "measure more often\n"
    )
    assert "there is nothing to draw: rate was measured once in each run" in one_line(alone)


def test_several_directories_are_drawn_together(toy_run: Command, mfbpi: Command) -> None:
    """Into a directory that has to be said."""
    toy_run("--out", "x", "--steps", "40")
    toy_run("--out", "y", "--steps", "60")
    unsaid = mfbpi("plot", "x", "y")
    ended = mfbpi("plot", "x", "y", "--out", "z", "--kind", "scores")

    assert "say with --out DIR where to write" in one_line(unsaid)
    assert ended.out == "z/scores.svg\n"


def test_wrong_input_is_refused_in_one_line(toy_run: Command, mfbpi: Command) -> None:
    """No results, a metric that was not measured, maps of runs without arrays."""
    toy_run("--out", "x")
    Path("empty").mkdir()

    assert "empty holds no results" in one_line(mfbpi("plot", "empty"))
    assert "nowhere holds no results" in one_line(mfbpi("plot", "nowhere"))
    unknown = one_line(mfbpi("plot", "x", "--metric", "rat"))
    assert "no 'rat' was measured in these results; did you mean rate? measured were: " in unknown
    assert "run them with --arrays" in one_line(mfbpi("plot", "x", "--kind", "maps"))
    assert not Path("x/_figures").exists()


def test_files_that_are_no_results_are_left_out(toy_run: Command, mfbpi: Command) -> None:
    """With a warning that names them."""
    toy_run("--out", "x", "--seeds", "0:2")
    broken = Store(Path("x")).rows()[0]
    broken.write_bytes(b"no table")
    ended = mfbpi("plot", "x", "--kind", "scores")

    assert ended.code == 0
    assert f"warning: {broken} is not a result of mfbpi" in ended.err


def test_a_place_that_cannot_be_written_to_is_named(toy_run: Command, mfbpi: Command) -> None:
    """A file where the directory should be."""
    toy_run("--out", "x")
    Path("taken").write_text("")

    assert "cannot write to taken/" in one_line(mfbpi("plot", "x", "--out", "taken"))


def test_matplotlib_may_be_missing(
    toy_run: Command, mfbpi: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that says how to get it."""
    toy_run("--out", "x")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    missing = one_line(mfbpi("plot", "x"))
    assert missing == (
        "error: drawing needs matplotlib, which is not installed: pip install 'mfbpi[plot]'"
    )

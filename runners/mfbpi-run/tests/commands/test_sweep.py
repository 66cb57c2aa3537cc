"""``mfbpi sweep``: grids of runs, by name or from a TOML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage import table

Command = Callable[..., Any]

ENSEMBLES = """
seeds = [0, 3]
steps = 300
eval_every = 100
metrics = ["value_error"]

[[agent]]
name = "mf_bpi"
ensemble_size = [1, 10]

[[agent]]
name = "q_learning"
label = "baseline"

[[environment]]
name = "riverswim"
n_states = [3, 4]
"""

INLINE = ("--executor", "inline")


@pytest.fixture
def ensembles() -> str:
    """A sweep of real plugins, as a file."""
    Path("ensembles.toml").write_text(ENSEMBLES)
    return "ensembles.toml"


def read(directory: str) -> Any:
    """All rows below a directory but for their times, sorted, as pandas has them."""
    files = [path for path in Path(directory).glob("*.parquet") if path.name != "all.parquet"]
    frame = table.concatenate([table.read(path) for path in files]).to_pandas()
    keys = ["agent", "env", "seed", "metric", "step"]
    frame = frame.astype({"agent": str, "env": str, "metric": str})
    return frame.drop(columns="elapsed_s").sort_values(keys).reset_index(drop=True)


def test_grid_of_a_file_from_end_to_end(mfbpi: Command, ensembles: str) -> None:
    """Every combination of values, seeds and steps, under the labels of the file."""
    ended = mfbpi("sweep", ensembles, *INLINE, "--out", "there")

    assert ended.code == 0
    assert "12 tasks: 12 done; results: there" in ended.out
    frame = read("there")
    assert set(frame["agent"]) == {
        "mf_bpi(ensemble_size=1)",
        "mf_bpi(ensemble_size=10)",
        "baseline",
    }
    assert set(frame["env"]) == {"riverswim(n_states=3)", "riverswim(n_states=4)"}
    assert set(frame["seed"]) == {0, 3}
    assert set(frame["step"]) == {0, 100, 200, 300}
    assert set(frame["metric"]) == {"value_ratio", "value_error_2"}
    for label in ("mf_bpi(ensemble_size=10)", "baseline", "riverswim(n_states=4)"):
        assert label in ended.out


def test_labels_stand_for_parameters(mfbpi: Command, ensembles: str) -> None:
    """Each task records the parameters behind its label."""
    planned = mfbpi("sweep", ensembles, *INLINE, "--dry-run", "--json").json

    agents = {each["agent"]: each["task"]["agent"] for each in planned["tasks"]}
    assert agents["mf_bpi(ensemble_size=1)"]["name"] == "mf_bpi"
    assert agents["mf_bpi(ensemble_size=1)"]["config"]["ensemble_size"] == 1
    assert agents["baseline"]["name"] == "q_learning"
    environments = {each["env"]: each["task"]["environment"] for each in planned["tasks"]}
    assert environments["riverswim(n_states=4)"]["config"] == {"n_states": 4}
    assert not Path("results").exists()


def test_tables_follow_the_file_s_order(mfbpi: Command) -> None:
    """The plan lists agents as the file does."""
    out = mfbpi("sweep", "toy/grid", *INLINE, "--dry-run").out

    assert out.index("biased(bias=0.25)") < out.index("biased(bias=0.75)")
    assert "8 tasks; results would go to results/" in out


def test_other_seeds(mfbpi: Command) -> None:
    """--seeds goes before the seeds of the experiment."""
    planned = mfbpi("sweep", "toy/grid", *INLINE, "--dry-run", "--seeds", "5,7", "--json").json

    assert {each["seed"] for each in planned["tasks"]} == {5, 7}


def test_quick_is_smaller(mfbpi: Command) -> None:
    """One ring instead of two."""
    few = ("sweep", "toy/grid", *INLINE, "--dry-run", "--json")

    assert len(mfbpi(*few).json["tasks"]) == 8
    assert len(mfbpi(*few, "--quick").json["tasks"]) == 4


def test_figures_are_drawn_of_all_runs(mfbpi: Command) -> None:
    """Once everything is done, as a PNG file beside the results; JSON stays alone."""
    ended = mfbpi("sweep", "toy/grid", "--quick", *INLINE, "--out", "there", "--json")

    assert (ended.code, ended.json["out"]) == (0, "there")
    assert {line["agent"] for line in ended.json["summary"]} == {
        "biased(bias=0.25)",
        "biased(bias=0.75)",
    }
    assert "figure: there/_figures/rates.png" in ended.err
    assert Path("there/_figures/rates.png").read_bytes().startswith(b"\x89PNG")


def test_resume_completes(mfbpi: Command) -> None:
    """An interrupted sweep, continued as its message says, ends as if it had never stopped."""
    mfbpi("sweep", "toy/grid", *INLINE, "--out", "whole")
    stopped = mfbpi("sweep", "toy/grid", "--executor", "interrupted", "--out", "part")

    assert stopped.code == 130
    assert "1 of 8 tasks done; continue with: mfbpi sweep toy/grid" in stopped.err
    assert "--out part --if-exists resume" in stopped.err
    assert not Path("part/_figures/rates.png").exists()

    resumed = mfbpi("sweep", "toy/grid", *INLINE, "--out", "part", "--if-exists", "resume")

    assert resumed.code == 0
    assert "7 done" in resumed.out
    assert "1 kept" in resumed.out
    assert read("part").equals(read("whole"))
    assert Path("part/_figures/rates.png").exists()


def test_changed_file_is_refused(mfbpi: Command, ensembles: str) -> None:
    """One label stands for one configuration in a directory."""
    few = ("sweep", ensembles, *INLINE, "--seeds", "0", "--out", "there")
    mfbpi(*few)
    Path(ensembles).write_text(ENSEMBLES.replace("steps = 300", "steps = 200"))
    ended = mfbpi(*few, "--if-exists", "resume")

    assert ended.code == 2
    assert "riverswim(n_states=3).horizon is 300 there and 200 here" in ended.err


def test_failed_task_does_not_stop_the_others(mfbpi: Command) -> None:
    """Exit code 1; the rest of the grid is done."""
    Path("sweep.toml").write_text(
        '[[agent]]\nname = "biased"\nfail_at_seed = [-1, 1]\n[[environment]]\nname = "ring"\n'
    )
    ended = mfbpi("sweep", "sweep.toml", *INLINE)

    assert ended.code == 1
    assert "3 done" in ended.out
    assert "1 failed" in ended.out


def test_figure_that_fails_is_blamed_on_its_experiment(mfbpi: Command) -> None:
    """The results are there; the message names the function and the cause."""
    ended = mfbpi("sweep", "toy/unshowable", *INLINE, "--out", "there")

    assert ended.code == 1
    assert (
        "mfbpi_toy_published:no_figure cannot show these results: ValueError('12 rows" in ended.err
    )
    assert "Traceback" not in ended.err
    assert len(list(Path("there").glob("*.parquet"))) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy/gird",), "no experiment is called 'toy/gird'; did you mean toy/grid?"),
        (("nowhere.toml",), "cannot read nowhere.toml: No such file or directory"),
        (("toy/grid", "--seeds", "x"), "--seeds 'x': expected a range such as 0:10"),
        (("toy/study", "--seeds", "0:3"), "toy/study tabulates instances and runs nothing"),
        (("toy/grid", "--executor", "inlin"), "did you mean inline?"),
        ((), "Missing argument 'EXPERIMENT|FILE.toml'"),
    ],
)
def test_bad_usage_is_explained(mfbpi: Command, arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2, one or two lines."""
    ended = mfbpi("sweep", *arguments)

    assert ended.code == 2
    assert message in ended.err
    assert len(ended.err.splitlines()) <= 2

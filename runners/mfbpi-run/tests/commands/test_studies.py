"""Studies: tables of instances, and what ``mfbpi sweep`` does with them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mfbpi.instances import draws, studies
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import STUDY
from mfbpi_lib_statistics.intervals import t_interval
from mfbpi_run import study_report

Command = Callable[..., Any]

QUANTITIES = [
    *("delta_min", "delta_max", "md_min", "md_max", "var_min", "var_max", "moment_max"),
    *("moment", "moment", "U0", "U0", "U", "U", "U0", "U0", "U", "U"),
]


@pytest.fixture
def study(mfbpi: Command) -> Any:
    """The toy study, carried out in the directory ``there``."""
    return mfbpi("sweep", "toy/study", "--out", "there")


def content(directory: str = "there") -> pa.Table:
    """The table of a study."""
    return table.read(Path(directory) / STUDY)


def rows(**where: Any) -> list[dict[str, Any]]:
    """Rows of the study that have these values."""
    return [r for r in content().to_pylist() if all(r[key] == v for key, v in where.items())]


def test_table_has_one_row_a_number(study: Any) -> None:
    """For each instance its quantities, moments, and every bound at every optimum."""
    assert study.code == 0
    assert content().schema.remove_metadata() == studies.SCHEMA
    instance = rows(env="riverswim(n_states=5)")
    assert [row["quantity"] for row in instance] == QUANTITIES
    assert {(row["n_states"], row["discount"], row["replicate"]) for row in instance} == {
        (5, 0.95, None)
    }
    assert [row["k"] for row in instance if row["quantity"] == "moment"] == [1, 2]


def test_bounds_at_their_own_and_the_other_s_optimum(study: Any) -> None:
    """The known optima, certified; elsewhere the bound is larger and nothing certifies it."""
    (own,) = rows(env="riverswim(n_states=5)", quantity="U", at="U", constraint="generative")
    (away,) = rows(env="riverswim(n_states=5)", quantity="U", at="U0", constraint="generative")
    (walk,) = rows(env="riverswim(n_states=5)", quantity="U", at="U", constraint="navigation")

    assert own["value"] == pytest.approx(2.938793e7, rel=1e-6)
    assert (own["status"], own["reason"]) == ("optimal", None)
    assert own["relative_gap"] <= 1e-9
    assert away["value"] > own["value"]
    assert (away["status"], away["relative_gap"]) == ("evaluated", None)
    assert walk["value"] == pytest.approx(3.192226e7, rel=1e-6)


def test_draws_share_a_label(study: Any) -> None:
    """Each draw of a random instance has its own rows, and its number beside the label."""
    draws = rows(quantity="delta_min", env="random_mdp")

    assert [row["replicate"] for row in draws] == [0, 1, 2]
    assert len({row["value"] for row in draws}) == 3


def test_infinite_values_are_null_with_the_reason(mfbpi: Command) -> None:
    """Ties: no value, why, and a line of the summary that says so."""
    ended = mfbpi("sweep", "toy/hard", "--quick", "--out", "there", "--json")

    (row,) = rows(quantity="u")
    (gap,) = rows(quantity="delta_min")
    assert gap["value"] == 0.0
    assert "pairs are optimal beside the policy's own" in gap["reason"]
    assert (row["value"], row["status"]) == (None, "infinite")
    assert "optimal policy not unique: tied pairs" in row["reason"]
    assert (ended.code, ended.json["failed"]) == (0, 0)
    (line,) = [line for line in ended.json["summary"] if line["quantity"] == "u"]
    assert (line["mean"], line["interval"], line["n"], line["left_out"]) == (None, None, 0, 1)


def test_values_that_cannot_be_computed_do_not_stop_a_study(mfbpi: Command) -> None:
    """Gaps below what floating point can tell: a failed row with the reason, and exit code 1."""
    ended = mfbpi("sweep", "toy/hard", "--out", "there")

    (row,) = rows(quantity="u", env="riverswim(n_states=600)")
    assert (row["value"], row["status"]) == (None, "failed")
    assert "what double precision can tell from zero" in row["reason"]
    (gap,) = rows(quantity="delta_min", env="riverswim(n_states=600)")
    assert "gaps are too small to be told from zero" in gap["reason"]
    assert ended.code == 1
    assert "1 value could not be computed: see the column reason of the table" in ended.err


def test_summary_over_draws(study: Any) -> None:
    """Mean with its t-interval, median and n; one instance alone has no interval."""
    lines = list(draws.averaged(content()))
    by_key = {
        (line["env"], line["quantity"], line["constraint"], line["at"]): line for line in lines
    }
    several = [row["value"] for row in rows(quantity="delta_min", env="random_mdp")]
    interval = t_interval(several)

    line = by_key["random_mdp", "delta_min", None, None]
    assert (line["mean"], line["n"], line["left_out"]) == (interval.mean, 3, 0)
    assert line["interval"] == [max(interval.low or 0.0, 0.0), interval.high]
    assert line["median"] == sorted(several)[1]
    assert by_key["riverswim(n_states=5)", "U", "generative", "U"]["interval"] is None


def test_output_for_people(study: Any) -> None:
    """The summary with its caption, the finding, the notes, and where things are."""
    for text in (
        "Mean over n draws with its 95 % t-interval, and median; n = 1: no interval.",
        "random_mdp",
        "There are 85 rows.",
        "a note",
        "table: there/study.parquet",
    ):
        assert text in study.out
    assert "figure: there/_figures/counts.png" in study.err
    assert Path("there/_figures/counts.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_one_object(mfbpi: Command) -> None:
    """What is shown to people, for programs."""
    said = mfbpi("sweep", "toy/study", "--quick", "--json", "--out", "there").json

    assert list(said) == ["out", "failed", "finding", "notes", "summary"]
    assert (said["out"], said["finding"], said["notes"]) == (
        "there",
        "There are 34 rows.",
        "a note",
    )
    assert len(said["summary"]) == 34


def test_long_summaries_are_left_to_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """More lines than anyone reads are not printed."""
    line = {"env": "x", "mean": 1.0, "n": 1}

    study_report._show_summary([line] * 201)
    assert capsys.readouterr().out == ""
    study_report._show_summary([line] * 2)
    assert "env" in capsys.readouterr().out


def test_dry_run_counts_instances(mfbpi: Command) -> None:
    """Two rivers and three draws; nothing is written."""
    few = ("sweep", "toy/study", "--dry-run")

    assert mfbpi(*few).out == "toy/study: 5 instances would be tabulated\n"
    assert mfbpi(*few, "--quick", "--json").json == {"experiment": "toy/study", "instances": 2}
    assert list(Path().iterdir()) == []


def test_default_directory_is_named_after_the_experiment(mfbpi: Command) -> None:
    """Below results/, with the time."""
    mfbpi("sweep", "toy/study", "--quick")

    (directory,) = Path("results").iterdir()
    assert directory.name.endswith("-toy_study-study")
    assert (directory / STUDY).exists()


def test_provenance_says_what_was_studied(study: Any) -> None:
    """Parameters, defaults included, the number of draws, and the versions of all plugins."""
    origin = table.provenance(content())

    (studied,) = origin["studies"].values()
    assert studied["environments"]["riverswim(n_states=10)"] == {"n_states": 10, "draws": 1}
    assert studied["environments"]["random_mdp"]["draws"] == 3
    assert studied["bounds"]["U"]["k_max"] == 19
    assert studied["discounts"] == [0.95]
    assert origin["schema_version"] == table.SCHEMA_VERSION


def test_directory_in_use_is_refused(mfbpi: Command, study: Any) -> None:
    """What to do with a study that is there must be said."""
    ended = mfbpi("sweep", "toy/study", "--out", "there")

    assert ended.code == 2
    assert "there already holds a study; add --if-exists resume" in ended.err


def test_resume_draws_again(mfbpi: Command, study: Any) -> None:
    """The table stays; figures and summary are made of it."""
    before = Path("there", STUDY).read_bytes()
    Path("there/_figures/counts.png").unlink()
    again = mfbpi("sweep", "toy/study", "--out", "there", "--if-exists", "resume")

    assert again.out == study.out
    assert Path("there", STUDY).read_bytes() == before
    assert Path("there/_figures/counts.png").exists()


def test_resume_of_another_study_is_refused(mfbpi: Command, study: Any) -> None:
    """The differing instances are named; to overwrite is allowed."""
    few = ("sweep", "toy/study", "--quick", "--out", "there", "--if-exists")
    refused = mfbpi(*few, "resume")

    assert refused.code == 2
    assert "environments.random_mdp is on one side only" in refused.err
    assert mfbpi(*few, "overwrite").code == 0
    assert content().num_rows == 34


def test_interrupted_study_leaves_no_table(mfbpi: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is whole or absent; exit code 130."""

    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "records", interrupt)
    ended = mfbpi("sweep", "toy/study", "--out", "there")

    assert ended.code == 130
    assert "interrupted: no table was written" in ended.err
    assert not Path("there", STUDY).exists()


def test_full_disk_is_explained(mfbpi: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and the cause, exit code 1, and no temporary file."""
    full = OSError(28, "No space")
    monkeypatch.setattr(os, "replace", lambda *_, **__: (_ for _ in ()).throw(full))
    ended = mfbpi("sweep", "toy/study", "--quick", "--out", "there")

    assert ended.code == 1
    assert "cannot write there/study.parquet: No space" in ended.err
    assert [path.name for path in Path("there").iterdir()] == [".lock"]

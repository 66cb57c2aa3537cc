"""What the summary averages, and what it says about what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mfbpi.results import summary
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store
from mfbpi.results.summary import Summary
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import PluginRef, Task
from mfbpi_run.screen import report

#: The values of a metric in a run, by step.
Values = dict[int, float]


def task(seed: int) -> Task:
    """A task of its own."""
    return Task(
        agent=PluginRef(name="a"),
        environment=PluginRef(name="e"),
        metrics=(PluginRef(name="m"),),
        seed=seed,
        horizon=2_000,
        eval_every=500,
        discount=0.9,
    )


def written(seed: int, **metrics: Values) -> Path:
    """The file of a run."""
    found = [
        Row(step=step, episode=0, metric=metric, value=value, elapsed_s=0.0)
        for metric, values in metrics.items()
        for step, value in values.items()
    ]
    found.sort(key=lambda row: row.step)
    own = task(seed)
    origin = {"schema_version": table.SCHEMA_VERSION, "task_id": own.task_id, "task": _plain(own)}
    path = Store(Path()).path(own.task_id)
    path.write_bytes(table.to_bytes(table.rows_table(own, found, origin)))
    return path


def _plain(own: Task) -> dict[str, object]:
    return dict(json.loads(own.to_json()))


def summed(*paths: Path) -> Summary:
    """The summary of these files."""
    return summary.summarise(paths, {})


def shown(found: Summary) -> list[tuple[str, str, bool, float, int]]:
    """The lines in short."""
    return [(x.metric, x.steps, x.at_end, x.mean, x.n) for x in found.lines]


def test_runs_that_end_at_different_steps_are_compared_at_their_ends() -> None:
    """The range of steps is said: the value at step 500 is no last value of a longer run."""
    found = summed(
        written(0, x={0: 9.0, 500: 9.0, 1000: 1.0}),
        written(1, x={0: 9.0, 400: 2.0}),
        written(2, x={0: 9.0, 1000: 9.0, 2000: 3.0}),
    )

    assert shown(found) == [("x", "400-2000", True, 2.0, 3)]
    assert (found.lines[0].first_step, found.lines[0].step) == (400, 2000)
    assert found.notes == []


def test_one_step_is_shown_as_one() -> None:
    """The usual case."""
    found = summed(written(0, x={0: 0.0, 2000: 1.0}), written(1, x={0: 0.0, 2000: 3.0}))

    assert shown(found) == [("x", "2000", True, 2.0, 2)]


def test_metric_last_measured_before_the_end_is_not_left_out() -> None:
    """It has a line of its own, with its own step, apart from values at the end."""
    found = summed(
        written(0, x={0: 0.0, 2000: 1.0}, early={0: 5.0}),
        written(1, x={0: 0.0, 2000: 3.0}, early={0: 4.0, 2000: 7.0}),
    )

    assert shown(found) == [
        ("x", "2000", True, 2.0, 2),
        ("early", "2000", True, 7.0, 1),
        ("early", "0", False, 5.0, 1),
    ]


def test_metric_that_some_runs_never_measured_is_noted() -> None:
    """n alone would be read over."""
    found = summed(written(0, x={0: 1.0}), written(1, x={0: 1.0}, y={0: 1.0}))

    assert found.notes == ["y was measured in 1 of 2 runs of a on e"]


def test_runs_without_any_number_are_noted() -> None:
    """Not a summary without lines and without a word."""
    found = summed(written(0), written(1))

    assert found.lines == []
    assert found.notes == ["nothing was measured for a on e"]


def test_file_that_cannot_be_read_is_named() -> None:
    """The others are summed."""
    path = written(0, x={0: 1.0})
    path.write_bytes(b"")
    found = summed(path, written(1, x={0: 2.0}))

    assert shown(found) == [("x", "0", True, 2.0, 1)]
    assert found.notes[0].startswith(f"{path} is not a result of mfbpi: ")


@pytest.mark.parametrize(("ends", "step"), [((20, 20), "20"), ((10, 20), "10-20")])
def test_range_is_shown_to_people(
    ends: tuple[int, int], step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the column of steps, with a sentence below the table where there is a range."""
    found = summed(*(written(seed, x={end: 1.0}) for seed, end in enumerate(ends)))
    report._show_summary(found)

    out = capsys.readouterr().out
    assert f" {step} " in out
    assert ("A range of steps" in out) == (len(set(ends)) > 1)

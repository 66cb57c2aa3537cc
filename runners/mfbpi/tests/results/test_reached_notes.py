"""What a median of steps to a level is taken over, where runs of one label differ."""

from __future__ import annotations

from pathlib import Path

import attrs

import mfbpi


def test_runs_in_different_environments_of_one_label_are_told_apart(tmp_path: Path) -> None:
    """What a median over them is: a note says it, as that of the summary does."""
    found = mfbpi.run(
        "q_learning",
        "riverswim",
        metrics="value_error",
        seeds=range(3),
        steps=40,
        eval_every=10,
        out=tmp_path,
        executor="serial",
    )
    first, *others = found.found
    edited = attrs.evolve(first.task.environment, name="riverswim_edited", label="riverswim")
    first = attrs.evolve(first, task=attrs.evolve(first.task, environment=edited))
    told = attrs.evolve(found, found=(first, *others)).reached("value_ratio", ">=0.9")

    said = "runs of q_learning on riverswim differ in `environment.name`"
    assert any(each.startswith(said) for each in told.notes)

"""Steps to a level are ranked among the runs of the two agents of a contrast, and no others."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pyarrow as pa
import pytest

import mfbpi
from mfbpi.results.loaded import Results
from mfbpi.results.storage.reading import Result

STEPS = [0, 10, 20, 30, 40]

#: When each run reaches the level; 99 is never.
TIMES = {"q_learning": [10, 20, 40], "uniform": [20, 40, 99], "psrl": [99, 99, 99]}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Three agents, three seeds each; tests put their own values there."""
    return mfbpi.run(
        list(TIMES),
        "riverswim",
        metrics="value_error",
        seeds=range(3),
        steps=40,
        eval_every=10,
        out=tmp_path_factory.mktemp("results") / "template",
        executor="serial",
    )


def reaching(result: Result, step: int) -> Result:
    """A run whose value_ratio is 1 from a step on."""
    n = len(STEPS)
    columns = {"task_id": [result.task.task_id] * n, "seed": [result.task.seed] * n}
    values = [float(each >= step) for each in STEPS]
    measured = {"metric": ["value_ratio"] * n, "step": STEPS, "value": values}
    return attrs.evolve(result, content=pa.table({**columns, **measured}))


def results(template: Results, times: Mapping[str, list[int]]) -> Results:
    """The runs of these agents, of as many seeds as there are times."""
    found = [
        reaching(each, times[each.task.agent.shown][each.task.seed])
        for each in template.found
        if each.task.seed < len(times.get(each.task.agent.shown, []))
    ]
    return attrs.evolve(template, found=tuple(found))


@pytest.mark.parametrize("pairs", ["by seed", "independent"])
@pytest.mark.parametrize("late", [10, 30, 99])
def test_other_agents_change_nothing_in_a_contrast(
    template: Results, pairs: str, late: int
) -> None:
    """Only Holm's correction knows of them."""
    two = {agent: TIMES[agent] for agent in ("q_learning", "uniform")}
    three = results(template, {**two, "psrl": [late] * 3})
    asked = {"reaches": 0.9, "pairs": pairs}
    named = [("q_learning", "uniform")]

    (alone,) = results(template, two).compare("value_ratio", **asked).contrasts
    (of_two,) = three.compare("value_ratio", contrasts=named, **asked).contrasts
    among = three.compare("value_ratio", **asked).contrasts
    (found,) = (e for e in among if {e.agent, e.against} == set(two))

    assert of_two == attrs.evolve(found, p_corrected=alone.p_corrected) == alone
    assert len(among) == 3


def test_runs_of_seeds_that_only_one_agent_has_change_no_pair(template: Results) -> None:
    """By seed, ranks are those of the runs that make the pairs."""
    fewer = results(template, {"q_learning": [10, 20], "uniform": [20, 40, 30]})
    neither = results(template, {"q_learning": [10, 20], "uniform": [20, 40]})

    found = [each.compare("value_ratio", reaches=0.9, pairs="by seed") for each in (fewer, neither)]

    assert found[0].contrasts == found[1].contrasts

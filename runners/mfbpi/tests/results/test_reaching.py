"""After how many steps a column is at a level for good: the numbers, the texts, what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import mfbpi
from mfbpi.results.comparing import samples
from mfbpi.results.comparing.levels import Level
from mfbpi.results.comparing.reaching import Arrival
from mfbpi.results.loaded import Results
from mfbpi.results.storage.reading import Result
from mfbpi_core.errors import UsageError

STEPS = [0, 10, 20, 30, 40]
GOOD = Level.of(">=0.9")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two agents, three seeds each, evaluated at five steps; tests put their own values there."""
    return mfbpi.run(
        ["q_learning", "uniform"],
        "riverswim",
        metrics="value_error",
        seeds=range(3),
        steps=40,
        eval_every=10,
        out=tmp_path_factory.mktemp("results") / "template",
        executor="serial",
    )


def measured(result: Result, values: dict[int, float], metric: str = "value_ratio") -> Result:
    """A run that has measured these values, by step; another column is there at every step."""
    rows = [("value_error_2", step, 0.5) for step in STEPS]
    rows += [(metric, step, value) for step, value in values.items()]
    columns = {name: [getattr(result.task, name, "x")] * len(rows) for name in ("task_id", "seed")}
    columns |= {"metric": [r[0] for r in rows], "step": [r[1] for r in rows]}
    columns |= {"value": [r[2] for r in rows]}
    return attrs.evolve(result, content=pa.table(columns))


def runs(template: Results, *values: list[float], **changed: Any) -> Results:
    """The results of the template with these values, of q_learning's seeds and then uniform's."""
    found = [
        measured(each, dict(zip(STEPS, of_run, strict=True)))
        for each, of_run in zip(template.found, values, strict=True)
    ]
    return attrs.evolve(template, found=tuple(found), **changed)


def six(template: Results) -> Results:
    """Reached at 10, 20 and 40 by q_learning; at 20, 40 and never by uniform."""
    return runs(
        template,
        [0.0, 0.9, 1.0, 0.95, 0.9],
        [0.9, 0.0, 1.0, 0.95, 0.9],  # good at first, and again from 20 on
        [0.9, 0.9, 0.9, 0.0, 1.0],
        [0.0, 0.8, 0.9, 0.9, 0.9],
        [0.0, 0.0, 0.0, 0.0, 0.9],
        [1.0, 1.0, 1.0, 1.0, 0.8],  # lost at the end
    )


def test_a_line_for_each_run(template: Results) -> None:
    """Agent, environment and seed, when, and what the run's end allows to say."""
    found = six(template).reached("value_ratio", ">=0.9")
    told = [(each.agent, each.seed, each.step) for each in found.runs]

    assert told[:3] == [("q_learning", 0, 10), ("q_learning", 1, 20), ("q_learning", 2, 40)]
    assert told[3:] == [("uniform", 0, 20), ("uniform", 1, 40), ("uniform", 2, None)]
    assert {(e.env, e.end, e.horizon, e.eval_every) for e in found.runs} == {
        ("riverswim", 40, 40, 10)
    }
    assert found.notes == [
        f"{agent} on riverswim: value_ratio >= 0.9 reached and kept in {n} of 3 runs, median {t}"
        for agent, n, t in (("q_learning", 3, "step 20"), ("uniform", 2, "step 40"))
    ]


def test_the_line_reads_as_a_table(template: Results) -> None:
    """As text, in a notebook and as a data frame, whose steps have one type in any case."""
    found = six(template).reached("value_ratio", 0.9)
    none = six(template).reached("value_ratio", 2)

    assert str(found).splitlines()[0].split()[:4] == ["agent", "env", "seed", "step"]
    assert "not reached" in str(found)
    assert found._repr_html_().startswith("<table>")
    assert found.to_pandas()["step"].tolist()[:5] == [10.0, 20.0, 40.0, 20.0, 40.0]
    assert none.to_pandas()["step"].isna().all()
    assert {str(each.to_pandas()["step"].dtype) for each in (found, none)} == {"float64"}
    assert none.notes[0].endswith("reached and kept in 0 of 3 runs, median not reached")


def test_steps_are_compared_by_rank_and_what_is_never_reached_is_last(template: Results) -> None:
    """10, 20, 40 against 20, 40, never: ranks 1, 2.5, 4.5 and 2.5, 4.5, 6; ties count half."""
    results = six(template)
    (of_env,) = samples.read(results.found, "value_ratio", level=GOOD)
    found = results.compare("value_ratio", reaches=">=0.9", pairs="independent")
    (contrast,) = found.contrasts

    assert of_env.ranked
    assert list(of_env.values["q_learning"].values()) == [10.0, 20.0, 40.0]
    assert list(of_env.values["uniform"].values()) == [20.0, 40.0, math.inf]
    assert contrast.difference == pytest.approx((8.0 - 13.0) / 3.0)
    assert contrast.superiority == pytest.approx((0 + 1 * 0.5 + 1 + 0.5) / 9.0)
    assert found.notes[:2] == results.reached("value_ratio", ">=0.9").notes
    assert found.reaches == ">= 0.9"
    assert "from which on value_ratio >= 0.9 until the end of the run" in found.caption


def test_runs_are_treated_as_those_that_a_rule_did_not_stop(template: Results) -> None:
    """The steps as stopping times, absent where not reached: the same contrast, to the bit."""
    results = six(template)
    stop = (
        mfbpi.run(
            "uniform",
            "riverswim",
            seeds=0,
            steps=1,
            stop="kl_box",
            executor="serial",
            out=template.directory.parent / "rule",
        )
        .tasks[0]
        .stop
    )
    times = []
    for each in results.found:
        arrival = Arrival.of(each, "value_ratio", GOOD)
        assert arrival is not None
        stopped = {} if arrival.step is None else {40: float(arrival.step)}
        ruled = attrs.evolve(each, task=attrs.evolve(each.task, stop=stop))
        times.append(measured(ruled, stopped, "stopping_time"))

    of_level = results.compare("value_ratio", reaches=0.9).contrasts
    of_rule = attrs.evolve(results, found=tuple(times)).compare("stopping_time").contrasts

    assert of_level == of_rule


def test_nobody_reaches_it(template: Results) -> None:
    """All ranks are equal: no difference, and nothing to tell."""
    found = six(template).compare("value_ratio", reaches=">=2")

    assert (found.contrasts[0].difference, found.contrasts[0].superiority) == (0.0, 0.5)
    assert found.contrasts[0].p == 1.0
    assert "in 0 of 3 runs, median not reached" in found.notes[0]


def test_gaps_between_measurements_and_rows_that_are_there_twice(template: Results) -> None:
    """Only what was measured counts; of one step the later row, and rows in any order."""
    one, two, *others = six(template).found
    seldom = measured(one, {40: 1.0, 0: 1.0, 20: 0.0})
    first = two.content.slice(5)
    twice = attrs.evolve(two, content=pa.concat_tables([measured(two, {40: 0.0}).content, first]))

    found = attrs.evolve(template, found=(seldom, twice, *others)).reached("value_ratio", ">=0.9")

    assert [each.step for each in found.runs[:2]] == [40, 20]


def test_runs_without_the_column_at_their_end_are_left_out(template: Results) -> None:
    """They are counted, as where values are compared, and never taken for runs short of it."""
    one, *others = six(template).found
    results = attrs.evolve(template, found=(measured(one, {10: 1.0}), *others))
    alone = attrs.evolve(template, found=tuple(measured(e, {10: 1.0}) for e in template.found[:3]))
    sentence = (
        "1 runs of q_learning on riverswim have no value_ratio at their end and are left out "
        "(seeds 0)"
    )
    whole = attrs.evolve(template, found=(*alone.found, *results.found[3:]))

    assert sentence in results.reached("value_ratio", 0.9).notes
    assert sentence in results.compare("value_ratio", reaches=0.9).notes
    assert len(results.reached("value_ratio", 0.9).runs) == 5
    assert (
        "q_learning on riverswim has no value_ratio at the end of its runs and is left out"
        in whole.reached("value_ratio", 0.9).notes
    )
    for ask in (alone.reached, lambda *given: alone.compare(given[0], reaches=given[1])):
        with pytest.raises(UsageError, match="no run has measured 'value_ratio' at its end"):
            ask("value_ratio", 0.9)


def test_what_is_no_level_is_refused_by_both_questions(template: Results) -> None:
    """More than a number is not at it or beyond."""
    with pytest.raises(UsageError, match=r"`reaches` is '>0.9'; expected a finite number"):
        template.reached("value_ratio", ">0.9")
    with pytest.raises(UsageError, match=r"`reaches` is '>0.9'"):
        template.compare("value_ratio", reaches=">0.9")


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("value_ratoi", "no run has measured 'value_ratoi'; did you mean value_ratio"),
        ("stopping_time", "stopping_time is a step itself, .*; leave out `reaches`"),
    ],
)
def test_columns_that_reach_nothing_are_refused(template: Results, metric: str, words: str) -> None:
    """An unknown one, and one that is a step."""
    with pytest.raises(UsageError, match=words):
        template.reached(metric, 0.9)
    with pytest.raises(UsageError, match=words):
        template.compare(metric, reaches=0.9)


def test_nan_is_refused(template: Results) -> None:
    """Another's file may hold any number; what is no number is named with its run and step."""
    one, *others = six(template).found
    wrong = measured(one, {0: 0.0, 20: math.nan, 40: 1.0})
    results = attrs.evolve(template, found=(wrong, *others))

    with pytest.raises(UsageError, match="riverswim, seed 0 is NaN at step 20; expected numbers"):
        results.reached("value_ratio", 0.9)
    with pytest.raises(UsageError, match="is NaN at step 20"):
        results.compare("value_ratio", reaches=0.9)


def test_infinite_values_are_beyond_any_level(template: Results) -> None:
    """No mean is taken of them."""
    one, *others = six(template).found
    endless = measured(one, {0: -math.inf, 20: math.inf, 40: math.inf})
    results = attrs.evolve(template, found=(endless, *others))

    assert results.reached("value_ratio", 0.9).runs[0].step == 20


def test_runs_that_ended_early_are_named(template: Results) -> None:
    """Short of the level at step 20, by their episodes, while others got there at 40."""
    *others, last = six(template).found
    early = attrs.evolve(measured(last, {0: 0.0, 20: 0.0}), task=last.task)
    early = attrs.evolve(early, content=early.content.filter(pc.field("step") <= 20))
    results = attrs.evolve(template, found=(*others, early))
    sentence = (
        "runs on riverswim are of unequal length: 1 ended short of the level before step 40, the "
        "first at step 20; they count as later than all that reached it"
    )

    assert results.reached("value_ratio", 0.9).runs[-1] == Arrival(
        agent="uniform", env="riverswim", seed=2, step=None, end=20, horizon=40, eval_every=10
    )
    assert sentence in results.reached("value_ratio", 0.9).notes
    assert sentence in results.compare("value_ratio", reaches=0.9).notes
    assert not any("unequal" in note for note in six(template).reached("value_ratio", 0.9).notes)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("horizon", 50, "`steps` is 40 in some and 50 in others"),
        ("eval_every", 5, "not evaluated alike: `eval_every` is 10 in some and 5 in others"),
    ],
)
def test_runs_that_differ_are_refused(
    template: Results, field: str, value: int, words: str
) -> None:
    """Of another length, or asked more often; where values are compared the latter is no matter."""
    *others, last = six(template).found
    other = attrs.evolve(last, task=attrs.evolve(last.task, **{field: value}))
    results = attrs.evolve(template, found=(*others, other))

    with pytest.raises(UsageError, match=words):
        results.compare("value_ratio", reaches=0.9)
    if field == "eval_every":
        assert results.compare("value_ratio").contrasts[0].n == 3


def test_of_a_real_run(tmp_path: Path) -> None:
    """Computed again from the rows: the step after the last one at which the ratio fell short."""
    results = mfbpi.run(
        "q_learning",
        mfbpi.environment("riverswim", n_states=4),
        seeds=range(4),
        steps=4_000,
        eval_every=100,
        discount=0.9,
        metrics="value_error",
        out=tmp_path / "real",
        executor="serial",
    )
    rows = results.to_pandas()
    rows = rows[rows.metric == "value_ratio"]
    for each in mfbpi.load(tmp_path / "real").reached("value_ratio", ">=0.99").runs:
        own = rows[rows.seed == each.seed].sort_values("step")
        short = own[own.value < 0.99].step.max()
        later = own[own.step > short].step if short == short else own.step

        assert each.step == (int(later.min()) if len(later) else None)

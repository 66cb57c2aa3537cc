"""Agents compared over seeds: the numbers, what is refused, and what few seeds cannot say."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import mfbpi
from mfbpi.results.comparing import samples
from mfbpi.results.loaded import Results
from mfbpi_core.errors import MfbpiNote, UsageError

SEEDS = range(7)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Three agents, seven seeds each."""
    return mfbpi.run(
        agents=["mf_bpi", "psrl", "uniform"],
        environments="riverswim",
        seeds=SEEDS,
        steps=300,
        out=tmp_path_factory.mktemp("results") / "three",
        executor="serial",
    )


def last(results: Results, agent: str, metric: str) -> list[float]:
    """The final values of an agent, by seed."""
    rows = results.to_pandas()
    rows = rows[(rows.agent == agent) & (rows.metric == metric) & (rows.step == 300)]
    return list(rows.sort_values("seed").value)


def test_numbers_are_those_of_the_rows(three: Results) -> None:
    """Difference, interval and p-value of pairs, computed again from the table."""
    found = three.compare("visit_entropy", baseline="uniform").contrasts[0]
    x, y = (np.array(last(three, agent, "visit_entropy")) for agent in ("mf_bpi", "uniform"))
    test = stats.ttest_rel(x, y).confidence_interval(0.95)

    assert (found.agent, found.against, found.n) == ("mf_bpi", "uniform", 7)
    assert found.difference == pytest.approx(np.mean(x - y))
    assert (found.low, found.high) == pytest.approx((test.low, test.high))
    assert found.superiority == np.mean(x[:, None] > y) + np.mean(x[:, None] == y) / 2


def test_every_pair_of_agents_is_one_family(three: Results) -> None:
    """Three contrasts; where all seeds agree, p is 2 / 2^7, three times that after correction."""
    found = three.compare("visit_entropy")
    apart = [each for each in found.contrasts if each.superiority in (0.0, 1.0)]

    assert len(found.contrasts) == 3
    assert apart, "the agents overlap; choose others"
    assert {each.p for each in apart} == {2 / 2**7}
    assert all(each.verdict in ("higher", "lower") for each in apart)
    assert min(each.p_corrected for each in found.contrasts) == 3 * 2 / 2**7


def test_named_contrasts_are_the_whole_family(three: Results) -> None:
    """One of three contrasts, corrected for itself alone."""
    (found,) = three.compare("visit_entropy", contrasts=[("uniform", "mf_bpi")]).contrasts

    assert (found.agent, found.against) == ("uniform", "mf_bpi")
    assert found.p_corrected == found.p


def test_verdict_names_the_side_of_the_first_agent(three: Results) -> None:
    """Exchanging two agents exchanges the verdict."""
    (there,) = three.compare("visit_entropy", baseline="psrl").contrasts[:1]
    back = next(
        each
        for each in three.compare("visit_entropy", baseline=there.agent).contrasts
        if each.agent == "psrl"
    )

    assert back.difference == -there.difference
    assert {there.verdict, back.verdict} in ({"higher", "lower"}, {"not significant"})


def test_independent_runs_are_tested_as_such(three: Results) -> None:
    """Welch's interval and the p-value of exchanged labels."""
    found = three.compare("visit_entropy", pairs="independent").contrasts[0]
    x, y = (last(three, agent, "visit_entropy") for agent in (found.agent, found.against))
    expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)

    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.least == pytest.approx(2 / 3432)


def test_unequal_seeds_are_no_pairs(three: Results) -> None:
    """Without seed 3 of one agent, runs are compared as independent, or as pairs where asked."""
    rest = [e for e in three.found if (e.task.agent.name, e.task.seed) != ("psrl", 3)]
    fewer = attrs.evolve(three, found=tuple(rest))
    by_default = fewer.compare("visit_entropy", baseline="psrl").contrasts[0]
    by_seed = fewer.compare("visit_entropy", baseline="psrl", pairs="by seed").contrasts[0]

    assert (by_default.pairs, by_default.n, by_default.n_against) == ("independent", 7, 6)
    assert (by_seed.pairs, by_seed.n, by_seed.n_against) == ("by seed", 6, 6)


def test_too_few_seeds_are_said_to_be(three: Results) -> None:
    """Three pairs have p of 1/4 at best; a single contrast at .05 takes six."""
    few = attrs.evolve(three, found=tuple(e for e in three.found if e.task.seed < 3))
    found = attrs.evolve(few, found=tuple(e for e in few.found if e.task.agent.name != "psrl"))
    comparison = found.compare("visit_entropy")

    assert comparison.contrasts[0].verdict == "not significant"
    assert comparison.notes == [
        "3 seeds cannot show a difference at level 0.05 (by seed, 1 contrast); run at least 6"
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"metric": "visit_entrpy"}, "did you mean visit_entropy"),
        ({"metric": "visit_entropy", "baseline": "prsl"}, "did you mean psrl"),
        ({"metric": "visit_entropy", "contrasts": [("psrl", "unifrom")]}, "did you mean uniform"),
        ({"metric": "visit_entropy", "contrasts": [("psrl", "psrl")]}, "two different agents"),
        ({"metric": "visit_entropy", "contrasts": [("psrl",)]}, "two different agents"),
        ({"metric": "visit_entropy", "contrasts": ["ab"]}, "two different agents"),
        (
            {"metric": "visit_entropy", "contrasts": [("psrl", "mf_bpi"), ("mf_bpi", "psrl")]},
            "mf_bpi and psrl twice",
        ),
        ({"metric": "visit_entropy", "level": 0.0}, "`level` is 0.0"),
        ({"metric": "visit_entropy", "level": float("nan")}, "`level` is nan"),
        ({"metric": "visit_entropy", "pairs": "yes"}, "`pairs` is 'yes'"),
    ],
)
def test_wrong_questions(three: Results, arguments: dict[str, object], words: str) -> None:
    """Each names what was given and what there is."""
    with pytest.raises(UsageError, match=words):
        three.compare(**arguments)  # type: ignore[arg-type]


def test_one_agent_has_nobody_to_be_compared_with(three: Results) -> None:
    """Which agent there is, and what to do."""
    alone = attrs.evolve(three, found=three.found[: len(SEEDS)])

    with pytest.raises(UsageError, match="nothing to compare: results of mf_bpi; expected two"):
        alone.compare("visit_entropy")


def test_other_steps_are_another_question(three: Results, tmp_path: Path) -> None:
    """A run of 200 steps is not set against one of 300."""
    mfbpi.run(
        agents="q_learning",
        environments="riverswim",
        seeds=0,
        steps=200,
        out=tmp_path / "other",
        executor="serial",
    )
    both = mfbpi.load(three.directory, tmp_path / "other")

    with pytest.raises(UsageError, match="`steps` is 300 in some and 200 in others"):
        both.compare("visit_entropy")


def run(out: Path, seeds: range, **agent: Any) -> None:
    """An agent under the label "x", and metrics."""
    mfbpi.run(
        [mfbpi.agent("q_ucb", label="x", **agent), "uniform"],
        "taxi",
        metrics=["visit_entropy", mfbpi.metric("greedy_return", episodes=2 + len(seeds))],
        seeds=seeds,
        steps=100,
        out=out,
        executor="serial",
    )


def test_one_label_of_two_agents_is_refused_and_noted(tmp_path: Path) -> None:
    """Two bonuses under the label "x": no samples of one agent, and a mean over them says so."""
    run(tmp_path / "a", range(2), bonus_scale=0.1)
    run(tmp_path / "b", range(2, 4), bonus_scale=1.0)
    with pytest.warns(MfbpiNote, match=r"runs of x on taxi differ in `agent.bonus_scale`"):
        both = mfbpi.load(tmp_path / "a", tmp_path / "b")

    with pytest.raises(UsageError, match=r"of x on .* `agent.bonus_scale` is 0.1 in some and 1.0"):
        both.compare("visit_entropy")
    assert any("in `agent.bonus_scale` (0.1 in 2, 1.0 in 2)" in n for n in both.summary().notes)


def test_metrics_measured_differently_are_refused(tmp_path: Path) -> None:
    """Returns over four episodes are not those over three; another metric is no matter."""
    run(tmp_path / "a", range(2), bonus_scale=0.1)
    run(tmp_path / "b", range(2, 3), bonus_scale=0.1)
    both = mfbpi.load(tmp_path / "a", tmp_path / "b")

    assert both.compare("visit_entropy").contrasts[0].n == 3
    with pytest.raises(UsageError, match=r"`greedy_return.episodes` is 4 in some and 3"):
        both.compare("greedy_return")


def test_a_single_seed_has_no_verdict_and_no_traceback(three: Results) -> None:
    """One run each, and one against seven: p of 1 and of at least 2/8."""
    one = attrs.evolve(three, found=tuple(e for e in three.found if e.task.seed == 0))
    kept = [e for e in three.found if e.task.seed == 0 or e.task.agent.name != "psrl"]
    unequal = attrs.evolve(three, found=tuple(kept))

    assert {each.p for each in one.compare("visit_entropy").contrasts} == {1.0}
    assert unequal.compare("visit_entropy", baseline="psrl").contrasts[0].p >= 2 / 8


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e200])
def test_values_without_a_mean_are_refused(three: Results, value: float) -> None:
    """Another's file may hold any number; one that cannot be averaged is named with its run."""
    first, *others = three.found
    values = pa.array([value] * first.content.num_rows, pa.float64())
    at = first.content.schema.get_field_index("value")
    wrong = attrs.evolve(first, content=first.content.set_column(at, "value", values))
    results = attrs.evolve(three, found=(wrong, *others))

    with pytest.raises(UsageError, match="visit_entropy of mf_bpi on riverswim, seed 0 is "):
        results.compare("visit_entropy")


def test_stopping_times_are_ranked_and_runs_without_one_are_last(tmp_path: Path) -> None:
    """Three stop at the same check and share 2, one stops later, and two, never, share 5.5."""
    results = mfbpi.run(
        agents=["fw_bpi", "uniform"],
        environments=mfbpi.environment("riverswim", n_states=3),
        seeds=range(3),
        steps=3_000,
        discount=0.9,
        stop="kl_box",
        epsilon=2.0,
        out=tmp_path / "stopped",
        executor="serial",
    )
    (of_env,) = samples.read(results.found, "stopping_time")
    found = results.compare("stopping_time").contrasts[0]

    first, second, third = of_env.values["uniform"].values()
    assert of_env.ranked
    assert len(set(of_env.values["fw_bpi"].values())) == 1
    assert (first, second) == (math.inf, math.inf)
    assert max(of_env.values["fw_bpi"].values()) < third < math.inf
    assert (found.difference, found.superiority) == (-3.0, 0.0)


def test_it_reads_as_a_table(three: Results) -> None:
    """As text, in a notebook, and as a data frame."""
    found = three.compare("value_ratio")

    headings = str(found).splitlines()[0]
    assert headings.split()[:5] == ["env", "agent", "against", "n", "difference"]
    assert "Holm" in str(found)
    assert found._repr_html_().startswith("<table>")
    assert list(found.to_pandas().verdict) == [each.verdict for each in found.contrasts]

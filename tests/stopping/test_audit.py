"""``mfbpi audit`` and ``mfbpi.audit``: rules on instances whose truth is known."""

import json

import numpy as np
import pytest

import mfbpi
from mfbpi.api.auditing import Share, twin
from mfbpi_core import StoppingRule
from mfbpi_lib_confidence.box import Thresholds
from mfbpi_lib_statistics.proportions import clopper_pearson
from mfbpi_lib_tabular.solution import planning
from mfbpi_lib_tabular.testing import riverswim
from mfbpi_run.cli import main
from mfbpi_stopping_local_glr.rule import LocalGLR

RIVER = {"agent": "uniform", "environment": mfbpi.environment("riverswim", n_states=3)}


def test_the_interval_is_exact():
    """None of 10: [0, 1 - 0.025^(1/10)]; all of 10: the mirror image."""
    assert clopper_pearson(0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == (pytest.approx(0.025**0.1), 1.0)


@pytest.mark.parametrize(
    ("count", "n", "finding"),
    [
        (0, 100, "consistent"),
        (0, 10, "inconclusive"),
        (10, 100, "inconclusive"),
        (31, 100, "violated"),
    ],
)
def test_findings(count, n, finding):
    """Only what is certain at 95 % is said."""
    assert Share.of(count, n, 0.1).finding == finding


def test_twins_differ_in_one_gap():
    """Values stay; the nearest rival loses by so much alone."""
    mdp = riverswim(3)
    near = twin(mdp, 0.9, 1e-5)
    one, other = planning.solve(mdp, 0.9), planning.solve(near, 0.9)
    gaps = other.values[:, None] - other.q_values

    np.testing.assert_allclose(other.values, one.values, atol=1e-9)
    assert np.sort(gaps.ravel())[3] == pytest.approx(1e-5, rel=1e-4)
    assert (near.rewards != mdp.rewards).any(axis=2).sum() == 1


@pytest.mark.parametrize("rule", ["kl_box", "betting"])
def test_rules_with_a_guarantee_keep_it(rule):
    """All replicas stop, none is wrong, and the truth never leaves."""
    found = mfbpi.audit(stop=rule, **RIVER, discount=0.9, replicas=2, steps=16_000)

    assert (found.stopped, found.wrong.count, found.left.count) == (2, 0, 0)
    assert not found.violated


@pytest.fixture
def small_sets(monkeypatch):
    """Boxes whose thresholds are lowered to what a single pair would need without a price."""
    honest = Thresholds.split

    def lowered(evidence, delta):
        x = honest(evidence, delta)
        return Thresholds(x.transitions - 8.0, x.rewards - 8.0)

    monkeypatch.setattr(Thresholds, "split", lowered)


@pytest.mark.usefixtures("small_sets")
def test_sets_that_are_too_small_are_found(capsys):
    """The truth leaves them far too often, and the command says so with its exit code."""
    where = ("--agent", "uniform", "--env", "riverswim", "-E", "n_states=3", "--discount", "0.9")
    more = ("--replicas", "20", "--steps", "2000", "--json")

    assert main(["audit", "--stop", "kl_box", *where, *more]) == 1
    assert json.loads(capsys.readouterr().out)["left"]["finding"] == "violated"


def test_a_rule_without_sets(monkeypatch):
    """Of it only errors at stopping can be counted, here on the twin that is nearly a tie."""
    monkeypatch.setattr(LocalGLR, "contains", StoppingRule.contains)
    found = mfbpi.audit(
        stop="local_glr", **RIVER, discount=0.9, replicas=3, steps=1_000, near_tie=1e-5
    )

    assert found.left is None
    assert found.wrong.n == 3


LAWS = {
    "three of five": {"law": "0.1,0.6,0.3,0,0"},
    "two of five": {"law": "0.7,0.3,0,0,0"},
    "uniform on five": {"law": "0.2,0.2,0.2,0.2,0.2"},
    "nearly sure": {"law": "0.98,0.005,0.005,0.005,0.005"},
    "rare reward": {"law": "0.05,0.95", "reward": 0.05},
    "fair reward": {"law": "0.5,0.5"},
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
def test_thresholds_without_a_price_are_found_out(law):
    """Sets of log(1 / delta) are left in far more replicas than delta, those of kl_box in none."""
    where = mfbpi.environment("one_law", **law)
    asked = {"agent": "uniform", "environment": where, "replicas": 60, "steps": 3_000}

    assert mfbpi.audit(stop="local_glr", **asked).left.finding == "violated"
    assert mfbpi.audit(stop="kl_box", **asked).left.finding == "consistent"


def test_how_many_replicas_would_tell():
    """None of 10 are too few: 36 with none give [0, 0.0974]; a share of delta never tells."""
    assert Share.of(0, 35, 0.1).finding == "inconclusive"
    assert Share.of(0, 36, 0.1).finding == "consistent"
    assert 36 <= Share.of(0, 10, 0.1).needed <= 38
    assert Share.of(1, 10, 0.1).needed is None
    assert Share.of(0, 100, 0.1).needed is None


def test_parameters_of_all_three_are_given(capsys):
    """Rule, agent and environment have theirs; wrong ones are refused in two lines."""
    where = ("--env", "ring_of_three", "-E", "gap=1e-5", "--replicas", "1", "--steps", "200")
    rule = ("--stop", "u_relaxation", "-S", "thresholds=nas", "-S", "bound=u0")
    who = ("--agent", "mdp_nas", "-A", "min_exploration=0.5")

    assert main(["audit", *rule, *who, *where]) == 0
    capsys.readouterr()
    for wrong in (("-S", "thresholds=mine"), ("-S", "threshold=nas"), ("-A", "k=1"), ("-E", "x=1")):
        assert main(["audit", *rule, *who, *where, *wrong]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) <= 2


def test_command(capsys):
    """One line for each share."""
    where = ("--agent", "uniform", "--env", "riverswim", "-E", "n_states=3", "--discount", "0.9")

    assert main(["audit", "--stop", "kl_box", *where, "--replicas", "2", "--steps", "500"]) == 0
    assert "truth left the sets: 0 of 2" in capsys.readouterr().out


def test_an_unknown_truth_is_refused():
    """Without a model nothing can be audited."""
    with pytest.raises(mfbpi.UsageError, match="replicas"):
        mfbpi.audit(stop="kl_box", **RIVER, replicas=0)
    with pytest.raises(mfbpi.UsageError, match="an audit needs the truth"):
        mfbpi.audit(stop="kl_box", agent="uniform", environment="cartpole_swingup")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"first_seed": -3}, "`first_seed` is -3"),
        ({"steps": 99}, "the first check is at step 100"),
        ({"near_tie": float("nan")}, "expected a gap above 0"),
        ({"near_tie": -1.0}, "expected a gap above 0"),
        ({"scope": "some"}, "`scope` is 'some'"),
        ({"delta": 1.0}, "`delta` is 1.0"),
        ({"epsilon": float("inf")}, "`epsilon` is inf"),
    ],
)
def test_audits_that_make_no_sense_are_refused(asked, says):
    """Before anything runs, for rules that would not mind too."""
    with pytest.raises(mfbpi.UsageError) as refused:
        mfbpi.audit(stop="local_glr", **RIVER, **{"replicas": 1, **asked})
    assert says in str(refused.value)

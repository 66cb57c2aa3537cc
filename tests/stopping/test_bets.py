"""Certificates by bets: accepted, recomputed without the rule, bound to one history."""

import copy
import time

import attrs
import numpy as np
import pytest

from mfbpi_core.running.stopping import next_check
from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.checking.allowed import Allowed, threshold
from mfbpi_lib_certificates.checking.bets import capital, history
from mfbpi_lib_certificates.checking.bets.bounds import advantages
from mfbpi_lib_certificates.checking.bets.frozen import Frozen
from mfbpi_lib_certificates.checking.bets.points import Points
from mfbpi_lib_certificates.verification import verified
from mfbpi_lib_confidence.betting import proved
from mfbpi_lib_confidence.betting.epoch import Epoch, opening
from mfbpi_lib_confidence.betting.evaluation import bounds, thresholds
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_tabular.testing import riverswim
from tests.stopping import conftest
from tests.stopping.conftest import _question as question
from tests.stopping.fields import fields_of, refused

NAMES = (
    "riverswim3, fw_bpi",
    "riverswim3, uniform",
    "riverswim5, fw_bpi",
    "lake, fw_bpi",
    "lake, uniform",
    "close",
)


@pytest.mark.parametrize("name", NAMES)
def test_certificates_by_bets_are_accepted(bets, name, tmp_path):
    """Written, read and verified, with what they claim; all of them need their bets."""
    storage.write(bets[name], tmp_path / "c.json")
    report = verified(storage.read(tmp_path / "c.json"))

    assert report.valid, report.checks[-1]
    assert ("loses at most 1" if name == "close" else "optimal in every state") in report.claim
    assert "epochs" in bets[name].witnesses
    without = fields_of(bets[name])
    del without["witnesses"]["epochs"]
    assert refused(without)


def test_the_grid_is_that_of_the_rule():
    """The same steps, from S and A alone."""
    checks = [100]
    while checks[-1] < 50_000:
        checks.append(next_check(checks[-1]))
    expected = [step for step in checks if opening(step, 5, 2)]

    assert history.grid(5, 2, expected[-1] + 1) == expected
    assert history.grid(5, 2, expected[-1]) == expected[:-1]


def test_bounds_agree_with_the_compiled_ones(bets):
    """Advantages by bets are those of the rule, up to its room, where no box is better."""
    c = bets["riverswim3, fw_bpi"]
    laws, rewards = (threshold(c.n_pairs, share * c.delta) for share in (0.45, 0.05))
    values = (np.array(c.witnesses[name]) for name in ("policy_upper", "values_lower"))
    found = advantages(c, Allowed.by(c, laws, rewards), *values)
    claimed = np.array(c.witnesses["advantages"])

    wide = 1e-5 * np.abs(found).max()
    assert (claimed <= found + wide).all()
    assert np.isclose(claimed, found, rtol=0, atol=wide).any(axis=1).all()


def test_no_means_exceed_the_bounds(bets):
    """Random means within their intervals and below the capitals of a functional: a smaller sum."""
    c = bets["riverswim3, uniform"]
    told = history.read(c)
    frozen = Frozen(certificate=c, history=told, risk=0.05 / told.number / (told.number + 1))
    points = Points.of(frozen)
    rng = np.random.default_rng(0)
    wide = np.tile([-0.05, 0.05], (c.n_pairs, 1))
    found = capital.largest(frozen, points, wide, slice(None))
    now = frozen.coefficients(told.periods)
    then = np.stack([frozen.coefficients(t) for t in range(told.periods)])
    extra, x = frozen.extra, frozen.thresholds
    every = capital._Bets.on(frozen, points, now, then, extra, x, wide)
    parts = capital._Parts(every, every.stakes())
    f, j = (each.reshape(-1) for each in np.indices(every.now.shape))
    reached = np.full(len(found), -np.inf)
    for _ in range(300):
        means = rng.uniform(-0.05, 0.05, c.n_pairs) * rng.random()
        at = np.append(means, 0.0)[every.pairs]
        total = (every.now * at).sum(axis=1)
        terms = parts._terms(f, j, at.reshape(-1))
        spent = np.logaddexp.reduce(terms, axis=0).reshape(at.shape).sum(axis=1)
        reached = np.where(spent < every.x, np.maximum(reached, total), reached)

    allowed = np.isfinite(reached)
    assert allowed.any()
    assert (reached <= found + 1e-9)[allowed].all()


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("epochs", [], "increase from 1"),
        ("epochs", [0], "increase from 1"),
        ("epochs", [99], "no epoch had the number 99"),
        ("epochs", None, "epochs"),
        ("epochs", "1", "epochs"),
        ("epochs", [[1]], "epochs"),
        ("counts_then", [[]], "counts_then"),
        ("rewards_then", None, "rewards_then"),
        ("entry_rewards", {"a": 1}, "entry_rewards"),
    ],
)
def test_histories_that_are_none_are_refused(bets, key, value, says):
    """Whatever stands in their place."""
    forged = fields_of(bets["riverswim3, fw_bpi"])
    forged["witnesses"][key] = value
    report = verified(forged)

    assert not report.valid
    assert (report.checks[-1].name, says in report.checks[-1].detail) == ("bets", True)


def test_a_policy_that_was_not_the_best_then_is_refused(bets):
    """Bets on a policy that was chosen later would prove nothing."""
    forged = copy.deepcopy(fields_of(bets["riverswim3, fw_bpi"]))
    forged["witnesses"].pop("epochs")
    assert refused(forged)  # what else it holds does not prove the claim
    honest = bets["riverswim3, fw_bpi"]
    told = history.read(honest)
    then = {name: np.array(getattr(told, name)) for name in ("counts", "rewards")}
    then["rewards"][0] = 0.0  # nothing had been paid: every policy was as good
    late = history.History(number=told.number, **then)
    frozen = Frozen(certificate=honest, history=late, risk=0.01)

    with pytest.raises(Exception, match="not the best one"):
        frozen.check()


def test_it_takes_seconds_at_most(bets):
    """A certificate of five states that rests on several epochs."""
    fields = fields_of(bets["riverswim5, fw_bpi"])
    started = time.process_time()

    assert verified(fields).valid
    assert time.process_time() - started < 5.0


@pytest.mark.slow
def test_fifty_states_take_seconds_at_most(monkeypatch):
    """The bets of one epoch of RiverSwim 50, of 2,500 functionals: five seconds hold several."""
    monkeypatch.setitem(conftest.INSTANCES, "riverswim50", (lambda: riverswim(50), 0.95))
    monkeypatch.setattr(Frozen, "check", lambda self: None)  # early counts name another policy
    walk, step, epoch = conftest.Walk("riverswim50", "fw_bpi", 1), 100, None
    while step < 60_000:
        walk.go_on(step - walk.interaction.step)
        if number := opening(step, 50, 2):
            evidence = walk.evidence()
            if epoch is not None:
                epoch = epoch.replanned(evidence)
            elif evidence.visits.all():
                risk = 0.05 / (number * (number + 1))
                epoch = Epoch(number=number, risk=risk, discount=0.95, evidence=evidence)
        step = next_check(step)
    evidence = walk.evidence()
    allowed = thresholds(evidence, 0.1)
    found = evaluate(evidence, discount=0.95, thresholds=allowed)
    used = bounds([epoch], found.box, complete=True)
    found = attrs.evolve(found, policy=epoch.reference.policy)
    c = proved.certificate(found, used, question(walk.start, 0.95, rule="betting", epsilon=0.0))
    box = Allowed.by(c, *(threshold(c.n_pairs, share * c.delta) for share in (0.45, 0.05)))
    values = (np.array(c.witnesses[name]) for name in ("policy_upper", "values_lower"))
    started = time.process_time()
    recomputed = advantages(c, box, *values)

    assert time.process_time() - started < 5.0
    assert np.allclose(recomputed, used[0].advantages, rtol=1e-5, atol=1e-9)

"""Files that were made to deceive: each claims what nobody proved, or should crash a reader."""

import copy
import hashlib
import io
import json
import os

import attrs
import numpy as np
import pytest

from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_certificates.storage import UnreadableError
from mfbpi_lib_certificates.verification import verified, verify
from mfbpi_lib_confidence.certified import certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from tests.stopping.fields import fields_of


@pytest.fixture
def honest(certificates):
    """Fields of a valid certificate."""
    return json.loads(storage.contents(certificates["riverswim3, fw_bpi"])[""])


def made(counts, rewards, question, *, discount=0.9, epsilon=0.0, **evidence) -> Certificate:
    """The certificate of dense counts, every walk of which is one step."""
    counts = np.asarray(counts)
    found = evaluate(
        Evidence.from_dense(counts, rewards, **evidence), discount=discount, epsilon=epsilon
    )
    start, steps = counts.sum(axis=(1, 2)), int(counts.sum())
    asked = question(start, discount, epsilon=epsilon)
    return certificate(found, attrs.evolve(asked, cuts=steps))


def last(fields) -> str:
    """What the last check of a forgery says."""
    report = verified(fields)
    assert not report.valid
    return report.checks[-1].detail


@pytest.mark.parametrize("key", ["delta", "discount", "epsilon", "certified_gap", "delta_spent"])
def test_numbers_that_no_float_holds_are_refused(honest, key):
    """A whole number of 400 digits is one in JSON."""
    assert key in last({**honest, key: 10**400})


def test_flags_among_numbers_are_refused(honest):
    """numpy takes true for 1."""
    assert "true or false" in last({**honest, "start": [True, *honest["start"][1:]]})


def test_caveats_cannot_be_left_out(honest):
    """What the claim assumes is part of it."""
    assert "assumptions" in last({**honest, "assumptions": []})


def test_a_discount_beyond_the_tolerances_is_refused(honest):
    """There rounding, over 1 - gamma, is more than the slack."""
    assert "discount" in last({**honest, "discount": 1.0 - 1e-9})


def test_ranges_that_overflow_are_refused(question):
    """A range of infinite width had infinite tolerances, which confirm every bound."""
    counts, rewards = np.full((2, 2, 2), 50), np.zeros((2, 2, 2))
    fields = fields_of(made(counts, rewards, question, reward_law="deterministic"))
    fields |= {"reward_range": [-1e308, 1e308], "gap": [0.0, 0.0], "certified_gap": 0.0}
    for name in ("advantages", "values_upper", "values_lower", "policy_upper", "regret"):
        fields["witnesses"][name] = np.zeros(np.shape(fields["witnesses"][name])).tolist()
    assert "reward_range" in last(fields)
    assert "reward_range" in last({**fields, "reward_range": [0.0, 5e-324]})


def test_a_circle_that_no_walk_can_enter_is_refused(question):
    """Arrivals and departures agree, but nothing leads from where walks began to these states."""
    counts = np.zeros((3, 1, 3), dtype=np.int64)
    counts[0, 0, 0], counts[1, 0, 2], counts[2, 0, 1] = 100, 50, 50
    fields = fields_of(made(counts, np.zeros((3, 1)), question))
    assert verified(fields).valid
    assert "can reach state 1" in last({**fields, "start": [1, 0, 0], "cuts": 0})


def test_tolerances_do_not_add_up(certificates):
    """Advantages just within their tolerance do not make the regret smaller over a horizon."""
    fields = fields_of(certificates["early"])
    early, witnesses = certificates["early"], fields["witnesses"]
    rivals = np.ones((early.n_states, early.n_actions), dtype=bool)
    rivals[np.arange(early.n_states), early.policy] = False
    lower = 0.09 * early.slack * rivals
    witnesses["advantages"] = (np.array(witnesses["advantages"]) - lower).tolist()
    assert verified(fields).valid
    less = 0.5 * 0.09 * early.slack / (1 - early.discount)
    witnesses["regret"] = (np.array(witnesses["regret"]) - less).tolist()
    assert "regret" in last(fields)


def test_nobody_claims_probability_one(question):
    """1 - delta, rounded, is no claim."""
    found = evaluate(Evidence.from_dense(np.full((1, 1, 1), 9), [[4.0]]), discount=0.9, delta=1e-9)
    asked = question(np.array([1]), 0.9, delta=1e-9)
    assert "except with probability 1e-09" in verified(fields_of(certificate(found, asked))).claim


def test_names_that_stand_twice_are_refused(honest, tmp_path):
    """Another reader may take the other of the two."""
    text = json.dumps(honest)
    (tmp_path / "twice.json").write_text(text.replace('"delta":', '"delta": 0.5, "delta":', 1))
    with pytest.raises(UnreadableError):
        verify(tmp_path / "twice.json")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY\x01\x00", b"text"])
def test_damaged_arrays_are_unreadable(honest, tmp_path, data):
    """Whatever stands in their file, whose name is its hash."""
    name = f"{hashlib.sha256(data).hexdigest()}.npz"
    (tmp_path / name).write_bytes(data)
    (tmp_path / "c.json").write_text(json.dumps({**honest, "arrays": name}))
    with pytest.raises(UnreadableError):
        verify(tmp_path / "c.json")


def nested(depth: int) -> list:
    """A list in a list, and so on."""
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize("depth", [70, 400])
@pytest.mark.parametrize("key", ["start", "delta", "policy", "task", "scope", "rewards"])
def test_lists_in_lists_are_refused(honest, key, depth):
    """However deep: a checker that follows them recursively runs out of stack."""
    assert last({**honest, key: nested(depth)})


@pytest.mark.parametrize("given", [nested(400), [1, [2]], None, "1", {}, [[1]], [], ["a"], [None]])
def test_epochs_that_are_no_list_of_numbers_are_refused(bets, given):
    """Whatever stands there."""
    fields = fields_of(bets["riverswim3, fw_bpi"])
    fields["witnesses"]["epochs"] = given
    assert "epochs" in last(fields)


@pytest.mark.parametrize("rule", ["kl_box", "betting"])
@pytest.mark.parametrize("delta", [5e-324, 1e-323, 1e-310, 1e-201])
def test_risks_whose_shares_vanish_are_refused(honest, rule, delta):
    """A share of a denormal number is 0, and has no logarithm."""
    forged = {**honest, "rule": rule, "delta": delta, "delta_spent": delta}
    assert "`delta`" in last(forged)


@pytest.mark.parametrize("key", ["rule", "assumptions", "schema", "delta", "task", "reason"])
def test_arrays_stand_where_arrays_belong(honest, tmp_path, key):
    """A text or a list that is kept beside is none: arrays compare place by place."""
    data = io.BytesIO()
    np.savez(data, them=np.zeros(3))
    name = f"{hashlib.sha256(data.getvalue()).hexdigest()}.npz"
    (tmp_path / name).write_bytes(data.getvalue())
    forged = {**honest, "arrays": name, key: {"npz": "them"}}
    (tmp_path / "c.json").write_text(json.dumps(forged))
    if key == "schema":
        with pytest.raises(UnreadableError):
            verify(tmp_path / "c.json")
    else:
        assert verify(tmp_path / "c.json").valid == (key == "task")  # a task may be any object


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_pipes_are_not_waited_for(honest, tmp_path):
    """Neither in the place of a certificate nor in that of its arrays."""
    name = f"{'0' * 64}.npz"
    (tmp_path / "c.json").write_text(json.dumps({**honest, "arrays": name}))
    for pipe, read in (("pipe.json", "pipe.json"), (name, "c.json")):
        os.mkfifo(tmp_path / pipe)
        with pytest.raises(UnreadableError, match="no regular file"):
            verify(tmp_path / read)


def test_bytes_that_are_changed_at_random_never_raise_anything_else(honest, tmp_path):
    """500 archives with up to three changes, under the name that is their hash."""
    data, rng = io.BytesIO(), np.random.default_rng(5)
    np.savez_compressed(data, start=np.array(honest["start"]), policy=np.array(honest["policy"]))
    refused = 0
    for _ in range(500):
        raw = bytearray(data.getvalue())
        for at in rng.integers(len(raw), size=int(rng.integers(1, 4))):
            raw[at] = int(rng.integers(256))
        name = f"{hashlib.sha256(raw).hexdigest()}.npz"
        (tmp_path / name).write_bytes(raw)
        beside = {"arrays": name, "start": {"npz": "start"}, "policy": {"npz": "policy"}}
        (tmp_path / "c.json").write_text(json.dumps({**honest, **beside}))
        try:
            refused += not verify(tmp_path / "c.json").valid
        except UnreadableError:
            refused += 1
    assert refused > 400


def test_messages_hold_nothing_that_a_terminal_obeys(honest):
    """Names and texts of a forger are shown as ASCII."""
    for forged in ({**honest, "\x1b[2Kvalid\ud800": 0}, {**honest, "scope": "\x1b[2K\ud800"}):
        assert last(copy.deepcopy(forged)).isprintable()


@pytest.mark.parametrize(
    ("shape", "more"),
    [
        ((1, 1), {}),
        ((1, 3), {}),
        ((3, 1), {"terminal": [False, False, True]}),
        ((3, 2), {"terminal": [True, False, False], "reward_range": (-10.0, -1.0)}),
        ((2, 2), {"reward_law": "deterministic"}),
        ((2, 2), {"epsilon": 8.0}),
    ],
)
def test_unusual_certificates_are_valid(question, shape, more):
    """One state, one action, ends, negative rewards, known rewards, an accepted loss, ties."""
    s, a = shape
    counts = np.full((s, a, s), 1_000)
    counts[np.array(more.get("terminal", [False] * s))] = 0
    low = more.get("reward_range", (0.0, 1.0))[0]
    assert verified(fields_of(made(counts, low * counts.astype(float), question, **more))).valid

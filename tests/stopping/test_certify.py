"""``mfbpi certify`` and ``mfbpi.certify``: logs that somebody else collected."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import mfbpi
from mfbpi_run.cli import main

RIVER = {"n_states": 3, "n_actions": 2, "discount": 0.9}
ASKED = ("--states", "3", "--actions", "2", "--discount", "0.9")


@pytest.fixture(scope="module")
def log(walk):
    """12,000 steps of uniform exploration of a river with three states."""
    chunk = walk("riverswim3", "uniform", 3).interaction.advance(12_000)
    columns = (chunk.observations, chunk.actions, chunk.rewards, chunk.next_observations)
    return dict(zip(("s", "a", "r", "s'", "terminated"), (*columns, chunk.terminated), strict=True))


def first(log, n):
    """The first steps of a log."""
    return {name: column[:n] for name, column in log.items()}


def test_enough_data_identify(log, tmp_path):
    """The certificate is that of a run, and verified like one."""
    found = mfbpi.certify(log, **RIVER)
    found.write(tmp_path / "c.json")

    assert found.identified
    assert found.policy.tolist() == [1, 1, 1]
    assert not found.more.any()
    assert "optimal in every state" in mfbpi.verify(tmp_path / "c.json").claim


def test_what_is_missing_is_asked_for(log):
    """Fewer data do not; samples are asked for where they decide, far fewer than uniform ones."""
    found = mfbpi.certify(first(log, 4_000), **RIVER)

    assert not found.identified
    assert "may be better" in found.reason
    assert found.forecast
    assert 0 < found.more.sum() < 4_000
    assert found.more[2, 1] > found.more[0, 0]


def test_what_is_asked_for_is_enough(log, walk):
    """Collected from the pairs themselves, twice the samples asked for identify the policy."""
    found = mfbpi.certify(first(log, 4_000), **RIVER)
    rng, law = np.random.default_rng(5), walk("riverswim3", "uniform", 0).interaction
    model = law.environment.model
    rows = []
    for s, a in np.argwhere(found.more > 0):
        after = rng.choice(3, p=model.transitions[s, a], size=2 * found.more[s, a])
        paid = rng.random(len(after)) < model.mean_rewards[s, a]
        rows += [
            (int(s), int(a), float(r), int(n), False) for r, n in zip(paid, after, strict=True)
        ]
    more = dict(zip(log, zip(*rows, strict=True), strict=True))
    both = {name: np.concatenate([log[name][:4_000], more[name]]) for name in log}
    both["episode"] = np.concatenate([np.zeros(4_000), 1 + np.arange(len(rows))])

    assert mfbpi.certify(both, **RIVER).identified


def test_long_forecasts_begin_with_a_batch(log):
    """Of much more than a log has, half as many as it has, in the same proportions."""
    found = mfbpi.certify(first(log, 1_500), **RIVER)

    assert found.more.sum() > 1_500
    assert 750 <= found.batch.sum() <= 750 + found.batch.size
    assert (found.batch > 0).tolist() == (found.more > 0).tolist()
    assert (found.batch <= found.more).all()


def test_unvisited_pairs_come_first(log):
    """They are named, and nothing is certified."""
    kept = first(log, 3)
    found = mfbpi.certify(kept, **RIVER)

    assert found.reason.startswith("never visited")
    assert not found.forecast
    assert set(np.unique(found.more)) <= {0, 100}
    assert np.array_equal(found.batch, found.more)
    with pytest.raises(mfbpi.UsageError, match="nothing to certify: never visited"):
        found.write("unused.json")


def test_hidden_resets_are_warned_of(log):
    """A log that goes on from elsewhere may lack steps."""
    on = 700 + int(np.argmax(log["s"][700:] != log["s'"][499]))
    cut = {name: np.concatenate([c[:500], c[on : on + 800]]) for name, c in log.items()}
    with pytest.warns(mfbpi.MfbpiWarning, match="1 times, where no episode ends"):
        mfbpi.certify(cut, **RIVER, ask=False)


def test_logs_that_are_not_markov_are_warned_of():
    """The next state repeats the one before: of this no pair of a state and an action can know."""
    rng = np.random.default_rng(0)
    s = [0, 1]
    for _ in range(3_000):
        s.append(int(s[-2] if rng.random() < 0.9 else rng.integers(3)))
    states = np.array(s)
    n = len(s) - 1
    log = {
        "s": states[:-1],
        "a": rng.integers(2, size=n),
        "r": np.zeros(n),
        "s'": states[1:],
        "terminated": np.zeros(n, dtype=bool),
    }
    with pytest.warns(mfbpi.MfbpiWarning, match="does not look Markov"):
        mfbpi.certify(log, **RIVER, ask=False)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_states": 2}, "has s = 2; expected 0 to 1"),
        ({"n_states": 3.0}, r"3\.0 states are declared; expected an integer of 1 or more"),
        ({"n_actions": "2"}, "'2' actions are declared; expected an integer"),
        ({"delta": "0.1"}, "`delta` is '0.1'; expected a risk"),
        ({"epsilon": None}, "`epsilon` is None; expected a loss"),
        ({"discount": "0.9"}, "`discount` is '0.9'; expected one between 0 and 1"),
        ({"terminal": [2.0]}, r"`terminal` is \[2.0\]; expected states"),
        ({"delta": 0.0}, "`delta` is 0.0"),
        ({"epsilon": -1.0}, "`epsilon` is -1.0"),
        ({"discount": 1.0}, "`discount` is 1.0"),
        ({"reward_range": (0.0, 0.5)}, r"pair \(2, 1\), has the reward 1"),
        ({"terminal": [2]}, "leaves a state that is declared terminal"),
        ({"terminal": [9]}, r"`terminal` is \[9\]"),
        ({"scope": "some"}, "`scope` is 'some'"),
        ({"scope": "visited"}, "epsilon = 0 needs scope all"),
    ],
)
def test_wrong_declarations_are_refused(log, changed, message):
    """Each names what was given and where it fails."""
    with pytest.raises(mfbpi.UsageError, match=message):
        mfbpi.certify(log, **{**RIVER, **changed})


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_command(log, tmp_path, capsys, suffix):
    """A file of either kind; 0 and a certificate where it is identified."""
    path, out = tmp_path / f"log{suffix}", tmp_path / "c.json"
    table = pa.table(log)
    (pa.csv.write_csv if suffix == ".csv" else pa.parquet.write_table)(table, path)

    assert main(["certify", str(path), *ASKED, "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policy"] == [1, 1, 1]
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s,a,r,s',terminated\n", "the log has no rows; expected one for each step"),
        ("", "log.csv is empty; expected the columns"),
    ],
)
def test_logs_without_rows_are_refused(tmp_path, text, message):
    """Before their columns, which have no type yet, are looked at."""
    file = tmp_path / "log.csv"
    file.write_text(text)

    with pytest.raises(mfbpi.UsageError, match=message):
        mfbpi.certify(file, **RIVER)


@pytest.mark.parametrize("name", ["log.csv.gz", "log.txt", "log"])
def test_logs_of_other_names_are_told_what_is_read(tmp_path, name):
    """CSV by its name alone."""
    (tmp_path / name).write_text("s,a,r,s',terminated\n0,0,0,0,false\n")

    with pytest.raises(mfbpi.UsageError, match=rf"{name} .*; expected \.csv for CSV.* Parquet"):
        mfbpi.certify(tmp_path / name, **RIVER)


def test_parquet_needs_no_name(log, tmp_path):
    """What is Parquet is read as such."""
    pa.parquet.write_table(pa.table(first(log, 3)), tmp_path / "log.pq")

    assert mfbpi.certify(tmp_path / "log.pq", **RIVER).counts.steps == 3


def test_command_says_what_is_missing(log, tmp_path, capsys):
    """1, and a table of pairs."""
    path = tmp_path / "log.parquet"
    pa.parquet.write_table(pa.table(first(log, 4_000)), path)

    assert main(["certify", str(path), *ASKED]) == 1
    out = capsys.readouterr().out
    assert "not identified: may be better" in out
    assert "would be enough if frequencies stay" in out
    assert "of these first" in out
    assert main(["certify", str(tmp_path / "none.csv"), *ASKED]) == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda log: {**log, "terminated": 0.5 * np.ones(len(log["s"]))}, "true and false"),
        (lambda log: {**log, "state": log["s"]}, "expected one called s or"),
        (lambda log: {**log, "s": 1e300 * np.ones(len(log["s"]))}, "whole numbers"),
        (
            lambda log: {"done" if k == "terminated" else k: v for k, v in log.items()},
            "an episode cut short is done too",
        ),
    ],
)
def test_ambiguous_logs_are_refused(log, changed, message):
    """Nothing is guessed where a guess could certify what is false."""
    with pytest.raises(mfbpi.UsageError, match=message):
        mfbpi.certify(changed(first(log, 50)), **RIVER)


@pytest.mark.parametrize("declared", [(1.0, 1.0), (1.0, 0.0), (0.0, 5e-324), (-1e308, 1e308)])
def test_ranges_without_a_sound_width_are_refused(log, declared):
    """Where the slack vanishes in rounding, a tie was identified."""
    with pytest.raises(mfbpi.UsageError, match="two finite limits, 1e-100"):
        mfbpi.certify(first(log, 50), **RIVER, reward_range=declared)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ((0, 2), "0 states"),
        ((3, -1), "-1 actions"),
        ((10**6, 1_000), "at most"),
        ((2**15, 1), "at most"),
    ],
)
def test_sizes_that_no_table_holds_are_refused(log, sizes, says):
    """Before a table of them is made."""
    with pytest.raises(mfbpi.UsageError, match=says):
        mfbpi.certify(log, n_states=sizes[0], n_actions=sizes[1], discount=0.9, may_end=False)

"""``mfbpi verify`` and ``mfbpi.verify``."""

import json

import attrs
import pytest

import mfbpi
from mfbpi_lib_certificates import storage
from mfbpi_run.cli import main


@pytest.fixture
def files(certificates, tmp_path):
    """A valid certificate, one that claims a smaller risk, and a file that is none."""
    honest = certificates["riverswim3, fw_bpi"]
    storage.write(honest, tmp_path / "good.json")
    storage.write(attrs.evolve(honest, delta=0.01), tmp_path / "bad.json")
    (tmp_path / "none.json").write_text("{}")
    return {name: str(tmp_path / f"{name}.json") for name in ("good", "bad", "none")}


def test_the_library_says_what_is_claimed(files):
    """A report with a claim, or with the check that failed."""
    assert mfbpi.verify(files["good"]).claim == (
        "with probability at least 0.9 the policy is optimal in every state"
    )
    bad = mfbpi.verify(files["bad"])
    assert (bad.valid, bad.checks[-1].name, bad.claim) == (False, "thresholds", "")
    with pytest.raises(mfbpi.UsageError, match="expected 'mfbpi-certificate/1'"):
        mfbpi.verify(files["none"])


@pytest.mark.parametrize(
    ("names", "code"),
    [(("good",), 0), (("bad",), 1), (("good", "bad"), 1), (("none",), 2), (("bad", "none"), 2)],
)
def test_exit_codes(files, names, code):
    """0: all valid; 1: one is not; 2: one cannot be read."""
    assert main(["verify", *(files[name] for name in names)]) == code


def test_one_line_for_each_check(files, capsys):
    """What passed, what failed and why, and the file."""
    main(["verify", files["good"], files["bad"]])

    out = capsys.readouterr().out
    lines = out.splitlines()
    assert [line[:4] for line in lines].count("ok  ") == 13 + 4
    assert sum(line.startswith("FAIL thresholds: the events spend 0.01") for line in lines) == 1
    assert lines[-1].endswith("bad.json: NOT VALID.")


def test_json(files, capsys):
    """One object with the checks of every file."""
    main(["verify", "--json", files["good"]])

    (found,) = json.loads(capsys.readouterr().out)["certificates"].values()
    assert found["valid"]
    assert [check["check"] for check in found["checks"]][-1] == "verdict"

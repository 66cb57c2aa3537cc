"""``mfbpi verify --replay``: a task run again finds what no check of numbers can."""

import copy
import json

import numpy as np
import pytest

import mfbpi
from mfbpi.execute.working import replaying
from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.certificate import LARGEST_DISCOUNT
from mfbpi_run.cli import main


@pytest.fixture(scope="module", params=["kl_box", "betting"])
def path(request, tmp_path_factory):
    """The certificate of a short run that each rule has stopped."""
    found = mfbpi.run(
        "uniform",
        mfbpi.environment("riverswim", n_states=3),
        discount=0.9,
        steps=20_000,
        seeds=[5],
        stop=request.param,
        epsilon=3.0,
        executor="serial",
        out=tmp_path_factory.mktemp(request.param) / "out",
    )
    return found.certificate(found.tasks[0])


def changed(path, tmp_path, change):
    """A copy of a certificate with a change."""
    fields = json.loads(path.read_text())
    change(fields)
    target = tmp_path / "changed.json"
    target.write_text(json.dumps(fields))
    return target


def test_a_real_run_gives_the_same_again(path, capsys):
    """One check more, and the same claim."""
    report = mfbpi.verify(path, replay=True)

    assert report.valid
    assert report.checks[-1].name == "replay"
    assert report.claim == mfbpi.verify(path).claim
    assert main(["verify", "--replay", str(path)]) == 0
    assert "ok   replay: uniform on riverswim" in capsys.readouterr().out


def invent(fields):
    """Another seed: as if these counts had been those of its run."""
    fields["task"]["seed"] += 1


def harden(fields):
    """The run was asked for another risk than the certificate claims."""
    fields["task"]["stop"]["delta"] = 0.2


def shorten(fields):
    """The horizon was before the stop."""
    fields["task"]["horizon"] = fields["steps"] - 1


@pytest.mark.parametrize("change", [invent, harden, shorten])
def test_inventions_are_found(path, tmp_path, change, capsys):
    """Every number is in order, and only the second run tells."""
    forged = changed(path, tmp_path, change)

    assert mfbpi.verify(forged).valid
    report = mfbpi.verify(forged, replay=True)
    assert (report.valid, report.claim, report.checks[-1].name) == (False, "", "replay")
    assert main(["verify", "--replay", str(forged)]) == 1
    assert "FAIL replay" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (None, "names no task"),
        ({}, "none that can be run"),
        ({"agent": 1}, "none that can be run"),
        ("agent", "uniforn"),
        ("stop", "no stopping rule"),
        ("own", "class without packaging"),
    ],
)
def test_tasks_that_cannot_be_run_are_said(path, tmp_path, task, says):
    """In a sentence, whatever stands there."""

    def change(fields):
        if task == "agent":
            fields["task"]["agent"]["name"] = "uniforn"
        elif task == "stop":
            fields["task"]["stop"] = None
        elif task == "own":
            fields["task"]["agent"]["name"] = "./x.py:A#0123"
        else:
            fields["task"] = copy.deepcopy(task)

    report = mfbpi.verify(changed(path, tmp_path, change), replay=True)
    assert not report.valid
    assert says in report.checks[-1].detail


def test_longer_runs_are_not_run_again(path, capsys, monkeypatch):
    """Before the first step, unless that is asked for; progress is told."""
    report = mfbpi.verify(path, replay=True, most_steps=50)

    assert not report.valid
    assert "more than 50; a larger `most_steps`" in report.checks[-1].detail
    assert main(["verify", "--replay", "--most-steps", "50", str(path)]) == 1
    assert "a larger --most-steps" in capsys.readouterr().out
    monkeypatch.setattr("mfbpi_run.commands.stopping.verify.EVERY_S", 0.0)
    assert main(["verify", "--replay", str(path)]) == 0
    assert "run again, 100 of" in capsys.readouterr().err
    with pytest.raises(mfbpi.UsageError, match="`most_steps` is 0; expected at least 1"):
        mfbpi.verify(path, most_steps=0)


@pytest.mark.parametrize("name", [None, 3, [], {}, 1.0, True])
@pytest.mark.parametrize("key", ["agent", "environment"])
def test_names_that_are_no_text_are_refused(path, tmp_path, key, name):
    """They were put together with texts."""
    forged = changed(path, tmp_path, lambda fields: fields["task"][key].update(name=name))
    report = mfbpi.verify(forged, replay=True)
    assert (report.valid, report.checks[-1].name) == (False, "replay")
    assert "none that can be run" in report.checks[-1].detail


def test_what_a_task_raises_is_said(path, monkeypatch):
    """Parameters of a file may make a plugin raise anything."""
    monkeypatch.setattr(replaying, "_run", lambda *_: 1 / 0)
    report = mfbpi.verify(path, replay=True)
    assert not report.valid
    assert report.checks[-1].detail == (
        "its task cannot be run: ZeroDivisionError('division by zero')"
    )


def test_files_of_any_size_are_not_read(tmp_path, monkeypatch):
    """A large JSON, endless input, and arrays that unpack to more than they should."""
    monkeypatch.setattr(storage, "LARGEST_JSON", 1 << 20)
    big = tmp_path / "big.json"
    big.write_bytes(b"[" * (1 << 21))
    with pytest.raises(mfbpi.UsageError, match="larger than 1 MiB"):
        mfbpi.verify(big)
    with pytest.raises(mfbpi.UsageError, match="no regular file"):
        mfbpi.verify("/dev/zero")


def test_arrays_that_unpack_to_too_much_are_not_read(path, tmp_path, monkeypatch):
    """Zeros take no room in an archive, and any amount of memory."""
    import hashlib
    import io

    monkeypatch.setattr(storage, "LARGEST_ARRAYS", 1 << 20)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, counts=np.zeros(1 << 19))
    name = f"{hashlib.sha256(buffer.getvalue()).hexdigest()}.npz"
    (tmp_path / name).write_bytes(buffer.getvalue())
    forged = changed(path, tmp_path, lambda fields: fields.update(arrays=name))
    with pytest.raises(mfbpi.UsageError, match="take more than 1 MiB"):
        mfbpi.verify(forged)


@pytest.mark.parametrize("n", [10**6, 20_000])
def test_instances_that_no_memory_holds_are_refused(path, tmp_path, n):
    """Before anything of their size is made."""
    report = mfbpi.verify(changed(path, tmp_path, lambda fields: fields.update(n_states=n)))

    assert (report.valid, report.checks[-1].name) == (False, "schema")
    assert "more than can be verified" in report.checks[-1].detail


@pytest.mark.parametrize("rule", ["kl_box", "betting", "u_relaxation"])
def test_rules_refuse_the_discounts_that_the_verifier_does(tmp_path, rule):
    """Up to 1 - 1e-6; beyond, before anything runs."""
    asked = {"stop": rule, "steps": 100, "seeds": 0, "executor": "serial"}
    with pytest.raises(mfbpi.UsageError, match="expects at most 1 - 1e-06"):
        mfbpi.run("uniform", "two_states", discount=1 - 9e-7, out=tmp_path / "no", **asked)
    allowed = mfbpi.run(
        "uniform", "two_states", discount=LARGEST_DISCOUNT, out=tmp_path / "yes", **asked
    )
    assert not allowed.failures


def test_no_certificate_has_code_imported(path, tmp_path, monkeypatch, capsys):
    """A module that a stranger names is code of the stranger's."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strange_of_test.py").write_text("raise SystemExit('it runs')")

    def ask(fields):
        asked = {"environment_id": "strange_of_test:X-v0"}
        fields["task"]["environment"] = {"name": "gymnasium", "label": "", "config": asked}

    forged = changed(path, tmp_path, ask)
    with pytest.raises(mfbpi.UsageError, match="allow it with `imports='strange_of_test'`"):
        mfbpi.verify(forged, replay=True)
    assert main(["verify", "--replay", str(forged)]) == 2
    assert "allow it with --import strange_of_test" in " ".join(capsys.readouterr().err.split())
    allowed = mfbpi.verify(forged, replay=True, imports=["strange_of_test"])
    assert (allowed.valid, allowed.checks[-1].name) == (False, "replay")

"""Plugins that leave no process as they found it: one task fails, or nothing but a part of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mfbpi.results.storage import table

SOURCE = """\
import os, sys, tempfile
import attrs
from mfbpi_core import *
from mfbpi_toy import Plain, PlainConfig, Rate


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no")
    __repr__ = __str__


class Mute(Plain):
    def select_action(self, observation):
        raise Unspeakable


class MuteCheck(Plain):
    @classmethod
    def check(cls, problem, config):
        raise Unspeakable


class ExitCheck(Plain):
    @classmethod
    def check(cls, problem, config):
        sys.exit(0)


class Verbose(Plain):
    def select_action(self, observation):
        raise ValueError("word " * 100_000)


class Ending(Plain):
    def select_action(self, observation):
        raise GeneratorExit


class Roaming(Plain):
    def select_action(self, observation):
        os.chdir("/")
        return 0


class Unhoused(Plain):
    def select_action(self, observation):
        gone = tempfile.mkdtemp()
        os.chdir(gone)
        os.rmdir(gone)
        return 0


class NoProfile(Plain):
    profile = "none"


class OddProfile(Plain):
    profile = {"solver_runs": 3, "solver_failures": float("nan"), 4: 1, "own": object()}


class FailingProfile(Plain):
    @property
    def profile(self):
        raise ValueError("no profile")


class NoState(Plain):
    def state_dict(self):
        raise ValueError("no state")


class Texts(Rate):
    def arrays(self):
        return {"first": [1.0], "words": ["a"]}


@attrs.frozen(kw_only=True)
class Function:
    make: object = len


def none(problem, config, rngs):
    return []


class Alone:
    agents = ()


@hookimpl
def mfbpi_agents():
    names = ("Mute", "MuteCheck", "ExitCheck", "Verbose", "Ending", "Roaming", "Unhoused")
    for name in (*names, "NoProfile", "OddProfile", "FailingProfile", "NoState"):
        yield AgentSpec(
            name=name.lower(),
            factory="mfbpi_hostile:" + name,
            config="mfbpi_toy:PlainConfig",
        )
    yield AgentSpec(name="lambda", factory="mfbpi_toy:Plain", config="mfbpi_hostile:Function")
    for name in ("none", "Alone", "missing"):
        yield AgentSpec(
            name="r_" + name.lower(), factory="mfbpi_hostile:Mute", replicas="mfbpi_hostile:" + name
        )
    yield AgentSpec(name="p_missing", factory="mfbpi_toy:Plain", preset="mfbpi_hostile:missing")


@hookimpl
def mfbpi_metrics():
    yield MetricSpec(
        name="texts", factory="mfbpi_hostile:Texts", columns=(Column(name="rate"),), default=False
    )
"""

Command = Callable[..., Any]

FEW = ("--env", "ring", "--executor", "inline", "--seeds", "0:1", "--metric", "noise")


@pytest.fixture(autouse=True)
def hostile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Install the plugin, for worker processes too."""
    folder = tmp_path / "hostile"
    info = folder / "mfbpi_hostile-2.0.dist-info"
    info.mkdir(parents=True)
    (folder / "mfbpi_hostile.py").write_text(SOURCE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-hostile\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nhostile = mfbpi_hostile\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("mute", "Unspeakable: its message cannot be shown (mfbpi_hostile.py:"),
        ("ending", "GeneratorExit (mfbpi_hostile.py:"),
    ],
)
def test_what_cannot_be_said_fails_its_task(mfbpi: Command, agent: str, says: str) -> None:
    """An exception whose text raises, or one that is none of a task's, ends nothing else."""
    ended = mfbpi("run", "--agent", agent, *FEW, "--out", "x")

    assert ended.code == 1
    assert f"failed: {agent} on ring, seed 0: {says}" in ended.err


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("mutecheck", "Unspeakable, whose message cannot be shown"),
        ("exitcheck", "agent exitcheck of mfbpi-hostile 2.0: SystemExit(0)"),
        ("lambda", "agent lambda: parameter make is <built-in function len>; expected a number"),
        ("p_missing", "agent p_missing of mfbpi-hostile 2.0: cannot import 'mfbpi_hostile:missing"),
    ],
)
def test_what_fails_in_the_command_itself_is_one_line(
    mfbpi: Command, agent: str, says: str
) -> None:
    """With a code that is not 0: a plugin cannot end the command as if all were well."""
    ended = mfbpi("run", "--agent", agent, *FEW, "--out", "x")

    assert ended.code != 0
    [line] = ended.err.splitlines()
    assert says in line
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("r_none", ""),
        ("r_alone", "mfbpi_hostile:Alone is not a subclass of mfbpi_core.Replicas"),
        ("r_missing", "cannot import 'mfbpi_hostile:missing'"),
    ],
)
def test_replicas_are_looked_at_before_the_grid(mfbpi: Command, agent: str, says: str) -> None:
    """What cannot build them is refused once; what builds something else fails with its name."""
    two = (*FEW[:4], "--seeds", "0:2", "--replicas", "2", "--out", "x")
    ended = mfbpi("run", "--agent", agent, *two)

    assert ended.code == 1
    if says:
        assert ended.err.splitlines() == [line for line in ended.err.splitlines() if says in line]
        assert len(ended.err.splitlines()) == 1
        assert not Path("x").exists()
    else:
        assert "mfbpi_hostile:none returned []; expected a Replicas" in ended.err


def test_endless_messages_are_cut(mfbpi: Command) -> None:
    """On the screen and in the error's file, which says how long it was."""
    ended = mfbpi("run", "--agent", "verbose", *FEW, "--out", "x")

    assert len(ended.err) < 3_000
    assert "... (500,000 characters)" in ended.err
    [file] = Path("x/_errors").iterdir()
    assert len(json.loads(file.read_text())["error"]) < 110_000


@pytest.mark.parametrize("agent", ["roaming", "unhoused"])
def test_other_working_directories_move_nothing(mfbpi: Command, agent: str) -> None:
    """Results and checkpoints go where ``--out`` says, seen from where the command began."""
    often = ("--checkpoint-every", "1e-9")
    ended = mfbpi("run", "--agent", agent, *FEW, *often, "--out", "x")

    assert (ended.code, ended.err) == (0, "")
    assert len(list(Path("x").glob("*.parquet"))) == 1
    assert not Path("/x").exists()


def test_checkpoints_stay_in_their_directory(
    mfbpi: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a task in a worker whose agent goes elsewhere, too."""
    from mfbpi.results.storage import files

    written, write = [], files.atomic_write
    monkeypatch.setattr(
        files, "atomic_write", lambda path, *rest: (written.append(path), write(path, *rest))
    )
    mfbpi("run", "--agent", "roaming", *FEW, "--checkpoint-every", "1e-9", "--out", "x")

    saved = {path for path in written if path.suffix == ".npz"}
    assert {path.parent for path in saved} == {Path.cwd() / "x" / "_checkpoints"}


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("noprofile", "the profile of agent noprofile of mfbpi-hostile 2.0 is left out"),
        ("failingprofile", "is left out: ValueError('no profile')"),
        ("oddprofile", "'solver_failures': nan of its profile is left out"),
    ],
)
def test_odd_profile_loses_no_run(mfbpi: Command, agent: str, says: str) -> None:
    """What cannot be kept is left out and named; the rows and the rest are there."""
    ended = mfbpi("run", "--agent", agent, *FEW, "--out", "x")

    assert ended.code == 0
    assert says in ended.err
    [file] = Path("x").glob("*.parquet")
    kept = {"solver_runs": 3} if agent == "oddprofile" else {}
    assert table.provenance(pq.read_table(file))["agent_profile"] == kept


def test_odd_arrays_lose_no_run(mfbpi: Command) -> None:
    """Nor does a metric whose arrays are none; those before are kept."""
    ended = mfbpi("run", "--agent", "plain", *FEW[:-1], "texts", "--arrays", "--out", "x")

    assert ended.code == 0
    assert "what follows of the arrays of metric texts is left out: ValueError(" in ended.err
    [file] = Path("x/_arrays").glob("*.parquet")
    assert pq.read_table(file)["array"].to_pylist() == ["first"]


def test_state_that_raises_loses_no_run(mfbpi: Command) -> None:
    """The run goes on without being saved, and says so once."""
    often = ("--checkpoint-every", "1e-9")
    ended = mfbpi("run", "--agent", "nostate", *FEW, *often, "--out", "x")

    assert ended.code == 0
    assert ended.err.count("goes on without being saved: ValueError('no state')") == 1

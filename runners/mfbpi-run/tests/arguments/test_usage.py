"""Bad usage: one or two lines on standard error, exit code 2, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

GOOD = {"--agent": "biased", "--env": "ring", "--executor": "inline"}


def run_with(mfbpi: Command, **changes: str) -> Any:
    """The good command line with some options changed or added."""
    options = GOOD | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return mfbpi("run", *[text for pair in options.items() for text in pair])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"env": "rinng"}, "no environment is called 'rinng'; did you mean ring?"),
        ({"agent": "biasd"}, "no agent is called 'biasd'; did you mean biased?"),
        ({"agent": "ring"}, "there is an environment of that name"),
        ({"metric": "rte"}, "no metric is called 'rte'; did you mean rate?"),
        ({"executor": "inlin"}, "no executor is called 'inlin'; did you mean inline?"),
        ({"steps": "-5"}, "'--steps': -5 is not in the range"),
        ({"steps": "0"}, "'--steps': 0 is not in the range"),
        ({"steps": "many"}, "'--steps': 'many' is given; expected a whole number"),
        ({"episodes": "-1"}, "'--episodes': -1 is not in the range"),
        ({"episodes": "3"}, "environment ring has no longest episode"),
        ({"eval_every": "0"}, "'--eval-every': 0 is not in the range"),
        ({"task_timeout": "0"}, "'--task-timeout': 0.0 is not in the range"),
        ({"task_timeout": "5"}, "the executor Inline cannot stop a task, so that no limit of 5 s"),
        ({"jobs": "0"}, "'--jobs': 0 is not in the range"),
        ({"seeds": "3:3"}, "--seeds '3:3': 3:3 is empty"),
        ({"seeds": ""}, "--seeds ''"),
        ({"discount": "1"}, "--discount is 1; expected a number between 0 and 1"),
        ({"discount": "nan"}, "--discount is nan"),
        ({"if_exists": "maybe"}, "'maybe' is not one of 'fail', 'resume', 'overwrite'"),
        ({"stepz": "5"}, "No such option '--stepz'"),
        ({"out": "/proc/nowhere/x"}, "cannot write to /proc/nowhere/x"),
        ({"out": "/dev/null/x"}, "cannot write to /dev/null/x"),
    ],
)
def test_bad_option_is_explained(changes: dict[str, str], message: str, mfbpi: Command) -> None:
    """What was given, what was expected, what to do."""
    ended = run_with(mfbpi, **changes)

    assert ended.code == 2
    assert ended.out == ""
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.err.splitlines()) <= 2
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("-Abais=1", "did you mean bias?"),
        ("-Abias=2", "parameter bias is 2.0; expected float >= 0, <= 1"),
        ("-Abias", "-A 'bias': expected KEY=VALUE or NAME.KEY=VALUE"),
        ("-En_states=1", "parameter n_states is 1; expected int >= 2"),
        ("-En_states=two", "parameter n_states is 'two'; expected int"),
        ("-En_state=4", "did you mean n_states?"),
    ],
)
def test_bad_parameter_is_explained(setting: str, message: str, mfbpi: Command) -> None:
    """Unknown, out of range, of the wrong type, or no pair at all."""
    ended = mfbpi("run", "--agent", "biased", "--env", "ring", setting)

    assert ended.code == 2
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


def test_output_that_is_a_file_is_explained(mfbpi: Command) -> None:
    """The file stays as it is."""
    Path("x").write_text("mine")
    ended = run_with(mfbpi, out="x")

    assert ended.code == 2
    assert "x" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert Path("x").read_text() == "mine"


def test_read_only_directory_is_explained(mfbpi: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run that could not be kept."""

    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)

    for changes in ({}, {"out": "x"}):
        ended = run_with(mfbpi, **changes)
        assert ended.code == 2
        assert "Permission denied; choose a directory you can write to with --out" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--env", "ring"), "Missing option '--agent'"),
        (("rnu",), "no command 'rnu'; did you mean run?"),
        (("show", "agent"), "Missing argument 'NAME'"),
        (("show", "agnt", "biased"), "'agnt' is not a kind of plugin"),
        (("list", "things"), "'things' is not a kind of plugin"),
        (("show", "agent", "biasd"), "did you mean biased?"),
        (("collect", "nowhere"), "nowhere holds no results"),
        (("new", "agent", "My-Agent"), "'My-Agent' cannot be the name of a plugin"),
        (("new", "experiment", "x"), "'experiment' is not a kind of plugin"),
        (("check", "mfbpi-nothing"), "mfbpi-nothing"),
    ],
)
def test_bad_command_is_explained(arguments: tuple[str, ...], message: str, mfbpi: Command) -> None:
    """The same holds for every command."""
    ended = mfbpi(*arguments)

    assert ended.code == 2
    assert message in ended.err
    assert len(ended.err.splitlines()) <= 2


def test_plugin_that_fails_in_the_driver_is_named(mfbpi: Command) -> None:
    """An environment that cannot be built is the plugin's fault, not the user's."""
    ended = run_with(mfbpi, env="broken")

    assert ended.code == 1
    assert "environment broken of mfbpi-toy 1.0: ValueError('the ring is broken')" in ended.err
    assert "Traceback" not in ended.err

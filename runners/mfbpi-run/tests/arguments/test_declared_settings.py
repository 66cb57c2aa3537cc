"""Settings are declared once: options, keys of TOML files and arguments are the same."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import click
import pytest

import mfbpi as library
from mfbpi.execute.settings import Execution
from mfbpi.plan import sweep_file
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_run.commands.running.run import run
from mfbpi_run.commands.running.sweep import sweep
from mfbpi_run.flags import FLAGS

#: In Python, parameters come with ``mfbpi.metric(...)`` and ``mfbpi.executor(...)``.
WITH_THEIR_PLUGIN = {"metric_settings", "executor_settings", "stop_settings"}


def fields(declared: type[Any]) -> dict[str, attrs.Attribute[Any]]:
    """The fields of a class by name."""
    return {field.name: field for field in attrs.fields(declared)}


def options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by the name of their value."""
    return {str(o.name): o for o in command.params if isinstance(o, click.Option)}


@pytest.mark.parametrize(
    ("command", "declared"), [(run, RunSettings), (run, Execution), (sweep, Execution)]
)
def test_options_derive_from_the_settings(command: click.Command, declared: type[Any]) -> None:
    """Each has its flag, its help, its metavar and its default."""
    found = options(command)

    for name, field in fields(declared).items():
        option = found[name]
        assert option.opts == [FLAGS[name]]
        assert option.help == field.metadata["help"]
        assert option.metavar == (field.metadata["metavar"] or None)
        given = command.make_context("x", _required(command), resilient_parsing=True).params[name]
        assert given == field.default


def _required(command: click.Command) -> list[str]:
    return ["--agent", "a", "--env", "e"] if command is run else ["what"]


def test_keys_of_files_are_the_settings() -> None:
    """All of them, and nothing else but the summary and the tables."""
    assert set(sweep_file._SETTINGS) == set(fields(RunSettings))


@pytest.mark.parametrize(
    ("function", "own", "declared"),
    [
        (library.run, {"agents", "environments", "progress"}, (RunSettings, Execution)),
        (library.sweep, {"what", "quick", "seeds", "progress"}, (Execution,)),
    ],
)
def test_arguments_are_the_settings(
    function: Callable[..., Any], own: set[str], declared: tuple[type[Any], ...]
) -> None:
    """With the same defaults."""
    settings = {name: f for each in declared for name, f in fields(each).items()}
    arguments = inspect.signature(function).parameters

    assert set(arguments) - own == set(settings) - WITH_THEIR_PLUGIN
    for name in set(arguments) - own:
        assert arguments[name].default == settings[name].default


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": 0}, "`steps` is 0; expected a whole number of 1 or more"),
        ({"steps": 1.5}, "`steps` is 1.5; expected a whole number"),
        ({"discount": 1.0}, "`discount` is 1; expected a number between 0 and 1, exclusive"),
        ({"arrays": 1}, "`arrays` is 1; expected true or false"),
        ({"jobs": 0}, "`jobs` is 0; expected a whole number of 1 or more"),
        ({"if_exists": "ask"}, "`if_exists` is 'ask'; expected one of fail, resume, overwrite"),
        ({"task_timeout": 0.0}, "`task_timeout` is 0; expected a number above 0"),
        ({"checkpoint_every": -1.0}, "`checkpoint_every` is -1; expected a number of 0 or more"),
        (
            {"executor": library.executor("inline", fast=1)},
            "executor inline: unknown parameter .fast.",
        ),
    ],
)
def test_ranges_hold_for_arguments_too(wrong: dict[str, Any], message: str) -> None:
    """What click and TOML refuse, the library refuses."""
    with pytest.raises(library.UsageError, match=message):
        library.run(**{"agents": "plain", "environments": "ring", "executor": "inline", **wrong})


@pytest.mark.parametrize("steps", ["4e1", "40.0", "40"])
def test_counts_may_be_written_with_an_exponent(steps: str, toy_run: Callable[..., Any]) -> None:
    """As people write them; the tasks are the same."""
    few: dict[str, Any] = {"seeds": 0, "executor": "inline"}
    known = library.run("biased", "ring", steps=40, out="x", **few).tasks
    ended = toy_run("--seeds", 0, "--steps", steps, "--out", "command")
    given = library.run("biased", "ring", steps=float(steps), out="y", **few)

    assert ended.code == 0, ended.err
    assert library.load("command").tasks == given.tasks == known


@pytest.mark.parametrize("steps", ["2.5", "1e999", "1e400", "nan", "4e-1", "e", ".", "two", "-1.5"])
def test_counts_are_whole(steps: str, toy_run: Callable[..., Any]) -> None:
    """And finite."""
    ended = toy_run("--steps", steps)

    assert ended.code == 2
    assert f"'--steps': '{steps}' is given; expected a whole number of 1 or more" in ended.err


@pytest.mark.parametrize("steps", ["9007199254740993.0", "9007199254740992.0", "1e300"])
def test_counts_are_exact(steps: str, toy_run: Callable[..., Any]) -> None:
    """From 2**53 on a float stands for several integers: on the command line, in files, Python."""
    Path("many.toml").write_text(
        f"steps = {steps}\n[[agent]]\nname = 'plain'\n[[environment]]\nname = 'ring'\n"
    )
    message = "too large to be exact: .* write it as an integer"
    ended = toy_run("--steps", steps)

    assert ended.code == 2
    assert re.search(rf"'--steps': .*{message}", ended.err)
    with pytest.raises(library.UsageError, match=rf"many.toml: steps is .*{message}"):
        library.sweep("many.toml")
    with pytest.raises(library.UsageError, match=message):
        library.run("plain", "ring", steps=float(steps))


def test_the_largest_exact_float_is_a_count() -> None:
    """And every integer, however large."""
    assert RunSettings(steps=2.0**53 - 1.0).steps == 2**53 - 1
    assert RunSettings(steps=2**53 + 1).steps == 2**53 + 1


def test_executors_have_settings(toy_run: Callable[..., Any]) -> None:
    """``-X`` is refused like other parameters that nobody has."""
    ended = toy_run("-X", "fast=1")

    assert ended.code == 2
    assert "-X fast=1: none of inline has a parameter 'fast'" in ended.err

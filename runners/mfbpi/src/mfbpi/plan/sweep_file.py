"""Sweeps written by hand: a TOML file becomes an :class:`Experiment`.

Example:
    .. code-block:: toml

        summary = "Does a larger ensemble explore better?"
        seeds = "0:10"
        steps = 50_000                # also: episodes, eval_every, discount, metrics, arrays

        [[agent]]
        name = "mf_bpi"
        ensemble_size = [10, 50]      # a list: one agent for each value

        [[agent]]
        name = "mf_bpi"
        label = "forced"              # how it is called in the results
        ensemble_size = 1

        [[environment]]
        name = "riverswim"
        n_states = [5, 10]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mfbpi.plan.settings import close_match
from mfbpi_core.contracts.experiment import Choice, Experiment, RunGrid
from mfbpi_core.errors import UsageError

#: Settings of the whole grid: the types that each may have, and how to call them.
_SETTINGS: dict[str, tuple[tuple[type, ...], str]] = {
    "summary": ((str,), "a text"),
    "seeds": ((str, int, list), "a text such as '0:10', a seed, or a list of seeds"),
    "steps": ((int,), "a whole number of 1 or more"),
    "episodes": ((int,), "a whole number of 1 or more"),
    "eval_every": ((int,), "a whole number of 1 or more"),
    "discount": ((float,), "a number between 0 and 1"),
    "metrics": ((list,), "a list of names"),
    "metric_settings": ((list,), "a list of texts such as 'key=value'"),
    "arrays": ((bool,), "true or false"),
}

#: Those that count something.
_COUNTS = ("steps", "episodes", "eval_every")

_TABLES = ("agent", "environment")


def load(file: Path) -> Experiment:
    """Read a sweep.

    Raises:
        UsageError: when the file cannot be read, or has a key or a value that means nothing.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))  # editors may add a mark
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not TOML: {error}") from error
    for key, value in content.items():
        _check_setting(file, key, value)
    settings = {key: _converted(key, content[key]) for key in _SETTINGS if key in content}
    summary = settings.pop("summary", file.stem)
    grid = RunGrid(
        agents=_choices(file, content, "agent"),
        environments=_choices(file, content, "environment"),
        **settings,
    )
    return Experiment(summary=summary, runs=grid)


def _check_setting(file: Path, key: str, value: Any) -> None:
    known = (*_SETTINGS, *_TABLES)
    if key not in known:
        hint = close_match(key, known)
        raise UsageError(f"{file}: unknown key {key!r}; {hint}keys are: {', '.join(known)}")
    if key in _TABLES:
        return
    types, expected = _SETTINGS[key]
    # By type and not by isinstance: a boolean is no number.
    if type(value) not in types or (key in _COUNTS and value < 1):
        raise UsageError(f"{file}: {key} is {value!r}; expected {expected}")


def _converted(key: str, value: Any) -> Any:
    """The value as :class:`RunGrid` has it."""
    if key == "seeds":
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return tuple(map(str, value)) if isinstance(value, list) else value


def _choices(file: Path, content: Mapping[str, Any], kind: str) -> tuple[Choice, ...]:
    tables = content.get(kind, [])
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{file}: expected at least one [[{kind}]] table with a name")
    return tuple(_choice(file, kind, table) for table in tables)


def _choice(file: Path, kind: str, table: Any) -> Choice:
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        raise UsageError(f"{file}: each [[{kind}]] needs a name; got {table!r}")
    values: dict[str, Any] = {
        key: tuple(v) if isinstance(v, list) else v for key, v in table.items()
    }
    name, label = values.pop("name"), values.pop("label", "")
    if not isinstance(label, str):
        raise UsageError(f"{file}: label of {kind} {name} is {label!r}; expected a text")
    if "replicate" in values:
        raise UsageError(f"{file}: {kind} {name} has no parameter 'replicate'")
    return Choice(name, label=label, **values)

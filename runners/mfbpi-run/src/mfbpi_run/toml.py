"""Sweeps written by hand: a TOML file becomes an :class:`Experiment`.

Example:
    .. code-block:: toml

        summary = "Does a larger ensemble explore better?"
        seeds = "0:10"
        steps = 50_000                # also: episodes, eval_every, discount, metrics, arrays

        [[agent]]
        name = "mf_bpi"
        ensemble_size = [10, 50]      # a list: one agent for each value

        [[environment]]
        name = "riverswim"
        n_states = [5, 10]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mfbpi_core.errors import UsageError
from mfbpi_core.experiment import Choice, Experiment, RunGrid

#: Settings of the whole grid, with the types that they may have.
_SETTINGS: dict[str, tuple[type, ...]] = {
    "seeds": (str, int),
    "steps": (int,),
    "episodes": (int,),
    "eval_every": (int,),
    "discount": (float,),
    "metrics": (list,),
    "metric_settings": (list,),
    "arrays": (bool,),
}

_TABLES = ("agent", "environment")


def load(file: Path) -> Experiment:
    """Read a sweep.

    Raises:
        UsageError: when the file cannot be read, or has a key that means nothing.
    """
    try:
        content = tomllib.loads(file.read_text())
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not TOML: {error}") from error
    _check_keys(file, content)
    settings = {key: content[key] for key in _SETTINGS if key in content}
    if "seeds" in settings:
        settings["seeds"] = str(settings["seeds"])
    for key in ("metrics", "metric_settings"):
        if key in settings:
            settings[key] = tuple(map(str, settings[key]))
    grid = RunGrid(
        agents=_choices(file, content, "agent"),
        environments=_choices(file, content, "environment"),
        **settings,
    )
    return Experiment(summary=str(content.get("summary", file.stem)), runs=grid)


def _check_keys(file: Path, content: Mapping[str, Any]) -> None:
    known = ("summary", *_SETTINGS, *_TABLES)
    for key, value in content.items():
        if key not in known:
            raise UsageError(f"{file}: unknown key {key!r}; expected {', '.join(known)}")
        expected = _SETTINGS.get(key)
        if expected and not (isinstance(value, expected) and type(value) in expected):
            names = " or ".join(kind.__name__ for kind in expected)
            raise UsageError(f"{file}: {key} is {value!r}; expected {names}")


def _choices(file: Path, content: Mapping[str, Any], kind: str) -> tuple[Choice, ...]:
    tables = content.get(kind, [])
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{file}: expected at least one [[{kind}]] table with a name")
    return tuple(_choice(file, kind, table) for table in tables)


def _choice(file: Path, kind: str, table: Any) -> Choice:
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        raise UsageError(f"{file}: each [[{kind}]] needs a name; got {table!r}")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in table.items()
        if key != "name"
    }
    return Choice(table["name"], **values)

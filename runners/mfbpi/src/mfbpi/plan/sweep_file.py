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
from typing import Any, get_args, get_origin, get_type_hints

import attrs

from mfbpi_core.contracts.experiment import Choice, Experiment, RunGrid, RunSettings
from mfbpi_core.contracts.parameters import allows, whole
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import ConfigError, UsageError
from mfbpi_core.text import did_you_mean

#: Settings of the whole grid, which are those of a run.
_SETTINGS = {field.name: field for field in attrs.fields(RunSettings)}

#: What a value is in TOML, by the type of the setting; of seeds, whatever is natural.
_IN_TOML: dict[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (float,), bool: (bool,)}
_SEEDS = (str, int, list)

_SUMMARY = "summary"

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
    summary = content.get(_SUMMARY, file.stem)
    grid = RunGrid(
        agents=_choices(file, content, "agent"),
        environments=_choices(file, content, "environment"),
        **settings,
    )
    return Experiment(summary=summary, runs=grid)


def _check_setting(file: Path, key: str, value: object) -> None:
    known = (_SUMMARY, *_SETTINGS, *_TABLES)
    if key not in known:
        hint = did_you_mean(key, known)
        raise UsageError(f"{file}: unknown key {key!r}; {hint}keys are: {', '.join(known)}")
    if key in _TABLES:
        return
    expected = "a text" if key == _SUMMARY else _SETTINGS[key].metadata["expected"]
    try:
        allowed = _is_allowed(key, value)
    except ConfigError as error:
        raise UsageError(f"{file}: {key} is {error}") from error
    if not allowed:
        raise UsageError(f"{file}: {key} is {value!r}; expected {expected}")


def _is_allowed(key: str, value: object) -> bool:
    """Whether a value has the type and the range of a setting."""
    if key == _SUMMARY:
        return type(value) is str
    if key == "seeds":
        return type(value) in _SEEDS
    hint = get_type_hints(RunSettings)[key]
    kinds = [kind for kind in get_args(hint) or (hint,) if kind in _IN_TOML]
    types = (list,) if get_origin(hint) is tuple else _IN_TOML[kinds[0]]
    value = whole(value) if kinds[0] is int else value
    # By type and not by isinstance: a boolean is no number.
    return type(value) in types and (types == (list,) or allows(_SETTINGS[key], hint, value))


def _converted(key: str, value: object) -> Any:
    """The value as :class:`RunGrid` has it."""
    if key == "seeds":
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return tuple(map(str, value)) if isinstance(value, list) else value


def _choices(file: Path, content: Mapping[str, object], kind: str) -> tuple[Choice, ...]:
    tables = content.get(kind, [])
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{file}: expected at least one [[{kind}]] table with a name")
    return tuple(_choice(file, kind, table) for table in tables)


def _choice(file: Path, kind: str, table: Any) -> Choice:
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        raise UsageError(f"{file}: each [[{kind}]] needs a name; got {table!r}")
    values: JsonObject = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}
    name, label = values.pop("name"), values.pop("label", "")
    if not isinstance(label, str):
        raise UsageError(f"{file}: label of {kind} {name} is {label!r}; expected a text")
    if "replicate" in values:
        raise UsageError(f"{file}: {kind} {name} has no parameter 'replicate'")
    return Choice(name, label=label, **values)

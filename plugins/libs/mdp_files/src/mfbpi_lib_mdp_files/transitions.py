"""Tables of transitions: CSV, JSON and Parquet with the columns s, a, s', p, r, terminated.

A row says that action ``a`` in state ``s`` leads to ``s'`` with probability ``p`` and pays ``r``;
``terminated``, false if left out, says that the episode ends there: nothing follows, even where
``s'`` has rows of its own, for those who come to it otherwise. States and actions are names, or
numbers from 0. The header (:mod:`.header`) is a comment ``# mfbpi: {...}`` in CSV, the other keys
of the object in JSON, and the metadata ``mfbpi`` in Parquet.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import header
from mfbpi_lib_mdp_files.named import Draft, Named, empty_entries

COLUMNS = ("s", "a", "s'", "p", "r", "terminated")

#: Other names of the column for the next state.
_NEXT = ("s2", "s_next", "next_s", "next_state")

_FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}

#: Where a row is, and its values by column.
Record = tuple[str, JsonObject]


def read_csv(file: Path) -> Draft:
    """Read a table in CSV; raises :class:`UsageError` naming the line."""
    told: JsonObject = {}
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    kept: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        # Below the names of the columns, a state may begin with the sign for comments.
        comment = line[1:].strip() if line.startswith("#") and not kept else None
        if comment is None and line.strip():
            kept.append((number, line))
        elif comment is not None and comment.startswith(header.MARK.strip()):
            where = f"{file.name}, line {number}"
            told = header.parsed(comment.removeprefix(header.MARK.strip()), where)
    rows = csv.reader(line for _, line in kept)
    columns = _columns(next(rows, []), f"{file.name}, line {kept[0][0] if kept else 1}")
    return _draft(file.name, told, _csv_records(file.name, columns, rows, [n for n, _ in kept[1:]]))


def _csv_records(
    name: str, columns: list[str], rows: Iterable[list[str]], numbers: list[int]
) -> Iterator[Record]:
    for number, row in zip(numbers, rows, strict=False):
        where = f"{name}, line {number}"
        if len(row) != len(columns):
            raise UsageError(f"{where}: {len(row)} fields; expected {len(columns)}, {columns}")
        yield where, dict(zip(columns, (field.strip() for field in row), strict=True))


def read_json(file: Path) -> Draft:
    """Read an object with a list ``transitions``; raises :class:`UsageError` naming the place."""
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise UsageError(f"{file.name}, line {error.lineno}: {error.msg}; expected JSON") from error
    except RecursionError as error:
        raise UsageError(f"{file.name} is nested too deeply; expected a list of rows") from error
    if not isinstance(found, dict) or not isinstance(found.get("transitions"), list):
        raise UsageError(f"{file.name}: expected an object with a list 'transitions'")
    told = header.checked({k: v for k, v in found.items() if k != "transitions"}, file.name)
    return _draft(file.name, told, _json_records(file.name, found["transitions"]))


def _json_records(name: str, rows: list[Any]) -> Iterator[Record]:
    for number, row in enumerate(rows):
        where = f"{name}, transition {number}"
        if not isinstance(row, dict):
            raise UsageError(f"{where}: {row!r:.60}; expected an object with the keys {COLUMNS}")
        yield where, dict(zip(_columns(list(row), where), row.values(), strict=True))


def read_parquet(file: Path) -> Draft:
    """Read a Parquet file; raises :class:`UsageError` naming the row."""
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(file)
    except (ArrowException, OSError) as error:
        raise UsageError(f"{file.name} is no Parquet file ({error!s:.80})") from error
    metadata = (table.schema.metadata or {}).get(b"mfbpi")
    told = {} if metadata is None else header.parsed(metadata.decode(), f"{file.name}, metadata")
    columns = _columns(table.column_names, file.name)
    values = zip(*(column.to_pylist() for column in table.columns), strict=True)
    rows = (
        (f"{file.name}, row {number}", dict(zip(columns, row, strict=True)))
        for number, row in enumerate(values)
    )
    return _draft(file.name, told, rows)


def _columns(given: list[str], where: str) -> list[str]:
    """The columns under their own names; raises :class:`UsageError` for wrong ones."""
    found = ["s'" if name.strip() in _NEXT else name.strip() for name in given]
    missing = [name for name in COLUMNS[:-1] if name not in found]
    unknown = [name for name in found if name not in COLUMNS]
    if missing or unknown or len(set(found)) < len(found):
        raise UsageError(
            f"{where}: the columns are {', '.join(found) or 'none'}; expected {', '.join(COLUMNS)} "
            "(the last may be left out)"
        )
    return found


def _draft(name: str, told: JsonObject, records: Iterator[Record]) -> Draft:
    rows = [_row(where, values) for where, values in records]
    if not rows:
        raise UsageError(f"{name} has no transitions; expected at least one row")
    states = header.names(told, "states") or _ordered([r[1] for r in rows] + [r[3] for r in rows])
    actions = header.names(told, "actions") or _ordered([r[2] for r in rows])
    number_of = [{each: i for i, each in enumerate(listed)} for listed in (states, actions)]
    draft = Draft(
        file=name,
        states=states,
        actions=actions,
        entries=empty_entries(len(states), len(actions)),
    )
    for where, s, a, following, p, r, end in rows:
        for known, each, kind in ((0, s, "state"), (1, a, "action"), (0, following, "state")):
            if each not in number_of[known]:
                raise UsageError(f"{where}: the {kind} {each!r} is not among the header's {kind}s")
        target = number_of[0][following]
        draft.entries[number_of[0][s]][number_of[1][a]].append((p, target, r, end))
    header.apply(told, draft, name)
    return draft


def _ordered(names: list[str]) -> list[str]:
    """Names in the order of their first use; 0 to the largest where all are such numbers."""
    distinct = list(dict.fromkeys(names))
    if all(name.isascii() and name.isdigit() and str(int(name)) == name for name in distinct):
        largest = max(map(int, distinct))
        if largest < 2 * len(distinct) + 16:  # else one wrong number would be a million states
            return [str(number) for number in range(largest + 1)]
    return distinct


def _row(where: str, values: JsonObject) -> tuple[str, str, str, str, float, float, bool]:
    s, a, following = (_name(where, values, key) for key in ("s", "a", "s'"))
    pair = f"{where}: state {s}, action {a}"
    p, r = _number(pair, "p", values["p"]), _number(pair, "r", values["r"])
    if not 0.0 <= p <= 1.0:
        raise UsageError(f"{pair}: p is {p:g}; expected a probability, 0 to 1")
    given = values.get("terminated", False)
    flag = given if isinstance(given, bool) else _FLAGS.get(str(given).strip().lower())
    if flag is None:
        raise UsageError(f"{pair}: terminated is {given!r}; expected true or false")
    return where, s, a, following, p, r, flag


def _name(where: str, values: JsonObject, key: str) -> str:
    value = values[key]
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    if not plain or not header.is_name(str(value)):
        raise UsageError(f"{where}: {key} is {value!r:.60}; expected a name, or a number from 0")
    return str(value)


def _number(pair: str, key: str, value: Any) -> float:
    """A finite number, given as one or as a text, which Python's underscores are no part of."""
    try:
        wrong = isinstance(value, bool) or value is None or "_" in str(value)
        number = math.nan if wrong else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{pair}: {key} is {value!r:.60}; expected a finite number")
    return number


def write_csv(model: Named, file: Path) -> None:
    """Write a table in CSV."""
    text = io.StringIO()
    text.write(f"# {header.line(model)}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for s, a, following, p, r, end in model.rows():
        names = model.states[s], model.actions[a], model.states[following]
        writer.writerow((*names, repr(p), repr(r), "true" if end else "false"))
    file.write_text(text.getvalue(), encoding="utf-8")


def write_json(model: Named, file: Path) -> None:
    """Write an object; a line for each transition."""
    head = json.dumps(header.of(model), ensure_ascii=False)[1:-1]
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in _rows(model))
    file.write_text(f'{{{head},\n"transitions": [\n{rows}\n]}}\n', encoding="utf-8")


def write_parquet(model: Named, file: Path) -> None:
    """Write a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist(list(_rows(model)))
    told = json.dumps(header.of(model), ensure_ascii=False)
    parquet.write_table(table.replace_schema_metadata({"mfbpi": told}), file)


def _rows(model: Named) -> Iterator[JsonObject]:
    for s, a, following, p, r, end in model.rows():
        names = model.states[s], model.actions[a], model.states[following]
        yield dict(zip(COLUMNS, (*names, p, r, end), strict=True))

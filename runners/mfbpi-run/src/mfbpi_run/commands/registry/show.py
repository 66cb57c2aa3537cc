"""``mfbpi show``: one plugin with its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import click

from mfbpi.plan import own
from mfbpi_core.contracts import parameters as configs
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.kind import Fact
from mfbpi_core.plugins.kinds import KINDS, kind_called
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import KindCommand
from mfbpi_run.screen.output import say, show_json, show_table, warn_of_problems

#: Fields of specs that have keys of their own in the description, whatever the kind.
_KNOWN = ("needs", "argument", "preset", "replicas")

_PARAMETER_COLUMNS = ("parameter", "type", "range", "default", "meaning", "source")


@click.command(cls=KindCommand, name="show", kinds=lambda: KINDS)
@click.argument("kind")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def show(kind: str, name: str, as_json: bool) -> None:
    """Show the plugin NAME of a KIND: its parameters, needs, columns and source.

    A class without packaging is named ./FILE.py:CLASS.
    """
    registry = Registry.discover()
    warn_of_problems(registry)
    wanted = kind_called(kind).name
    plugin = own.find(registry, wanted, name) or registry.get(wanted, name)
    if as_json:
        show_json(describe(plugin))
    else:
        _show(plugin)


def describe(plugin: Plugin) -> JsonObject:
    """Everything a plugin declares, as JSON can hold it."""
    spec = plugin.spec
    columns = [
        {"name": c.name, "low": _finite(c.low), "high": _finite(c.high), "summary": c.summary}
        for c in getattr(spec, "columns", ())
    ]
    return {
        "kind": plugin.kind,
        "name": spec.name,
        "summary": spec.summary,
        "reference": spec.reference,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "needs": sorted(getattr(spec, "needs", ())),
        "argument": getattr(spec, "argument", ""),
        "has_preset": bool(getattr(spec, "preset", "")),
        "has_replicas": bool(getattr(spec, "replicas", "")),
        **{fact.field: _plain(getattr(spec, fact.field)) for fact in _other_facts(plugin)},
        "columns": columns,
        "parameters": [attrs.asdict(p) for p in configs.describe(plugin.load_config())],
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _other_facts(plugin: Plugin) -> list[Fact]:
    """What is told of this kind's plugins alone; the rest has its own keys."""
    return [f for f in KINDS[plugin.kind].facts if f.field not in _KNOWN]


def _plain(value: object) -> Any:
    """A field of a spec as JSON can hold it."""
    if isinstance(value, frozenset | set):
        return sorted(value)
    return dict(value) if isinstance(value, Mapping) else value


def _show(plugin: Plugin) -> None:
    description = describe(plugin)
    say(f"{description['kind']} {description['name']}: {description['summary']}")
    say(f"from {plugin.origin_shown}")
    if description["reference"]:
        say(f"source: {description['reference']}")
    for fact in KINDS[plugin.kind].facts:
        value = getattr(plugin.spec, fact.field)
        if value:
            say(f"{fact.label}: {fact.says or _told(_plain(value))}")
    if description["columns"]:
        rows = [(c["name"], _range(c), c["summary"]) for c in description["columns"]]
        show_table(("column", "range", "meaning"), rows, wrap=("meaning",))
    if description["parameters"]:
        fields = ("name", "type", "range", "default", "help", "source")
        rows = [tuple(p[field] for field in fields) for p in description["parameters"]]
        show_table(_PARAMETER_COLUMNS, rows, wrap=("range", "meaning", "source"))
    else:
        say("no parameters")


def _told(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{word} ({meaning})" for word, meaning in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _range(column: JsonObject) -> str:
    low = "-inf" if column["low"] is None else f"{column['low']:g}"
    high = "inf" if column["high"] is None else f"{column['high']:g}"
    return f"{low} to {high}"

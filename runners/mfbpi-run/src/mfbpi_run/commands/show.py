"""``mfbpi show``: one plugin with its parameters."""

from __future__ import annotations

import math
from typing import Any

import attrs
import click

from mfbpi_core.contracts import parameters as configs
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import KINDS, Registry
from mfbpi_run.command import Command
from mfbpi_run.kinds import parse_kind
from mfbpi_run.screen.output import say, show_json, show_table, warn_of_problems

_PARAMETER_COLUMNS = ("parameter", "type", "range", "default", "meaning", "source")

_PRESET = "those below, or the published ones by environment"
_REPLICAS = "several seeds at once, --replicas N"


@click.command(cls=Command, name="show", epilog=f"KIND is one of: {', '.join(KINDS)}.")
@click.argument("kind")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def show(kind: str, name: str, as_json: bool) -> None:
    """Show the plugin NAME of a KIND: its parameters, needs, columns and source."""
    registry = Registry.discover()
    warn_of_problems(registry)
    description = describe(registry.get(parse_kind(kind), name))
    if as_json:
        show_json(description)
    else:
        _show(description)


def describe(plugin: Plugin) -> dict[str, Any]:
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
        "columns": columns,
        "parameters": [attrs.asdict(p) for p in configs.describe(plugin.load_config())],
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _show(description: dict[str, Any]) -> None:
    say(f"{description['kind']} {description['name']}: {description['summary']}")
    say(f"from {description['distribution']} {description['version']}")
    for label, text in (
        ("source", description["reference"]),
        ("needs", ", ".join(description["needs"])),
        ("after a colon", description["argument"]),
        ("defaults", _PRESET if description["has_preset"] else ""),
        ("replicas", _REPLICAS if description["has_replicas"] else ""),
    ):
        if text:
            say(f"{label}: {text}")
    if description["columns"]:
        rows = [(c["name"], _range(c), c["summary"]) for c in description["columns"]]
        show_table(("column", "range", "meaning"), rows, wrap=("meaning",))
    if description["parameters"]:
        fields = ("name", "type", "range", "default", "help", "source")
        rows = [tuple(p[field] for field in fields) for p in description["parameters"]]
        show_table(_PARAMETER_COLUMNS, rows, wrap=("range", "meaning", "source"))
    else:
        say("no parameters")


def _range(column: dict[str, Any]) -> str:
    low = "-inf" if column["low"] is None else f"{column['low']:g}"
    high = "inf" if column["high"] is None else f"{column['high']:g}"
    return f"{low} to {high}"

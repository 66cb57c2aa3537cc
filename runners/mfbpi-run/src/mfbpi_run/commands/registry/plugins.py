"""``mfbpi plugins``: the distributions that provide plugins, and those that failed to load."""

from __future__ import annotations

from collections import defaultdict

import click

from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import Command
from mfbpi_run.screen.output import cause, show_json, show_table


@click.command(cls=Command, name="plugins")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def plugins(as_json: bool) -> None:
    """List the distributions that provide plugins, and what failed to load and why."""
    registry = Registry.discover()
    loaded = _loaded(registry)
    problems = [
        {"distribution": p.distribution, "version": p.version, "stage": p.stage, "cause": cause(p)}
        for p in registry.problems
    ]
    if as_json:
        show_json({"distributions": loaded, "problems": problems})
        return
    rows = [(item["distribution"], item["version"], _provides(item["provides"])) for item in loaded]
    rows += [
        (p["distribution"], p["version"], f"failed at {p['stage']}: {p['cause']}") for p in problems
    ]
    show_table(("distribution", "version", "provides"), rows, wrap=("provides",))


def _loaded(registry: Registry) -> list[JsonObject]:
    provides: dict[tuple[str, str], dict[str, list[str]]] = {}
    for plugin in registry.plugins:
        key = (plugin.distribution, plugin.version)
        provides.setdefault(key, defaultdict(list))[plugin.kind].append(plugin.spec.name)
    return [
        {"distribution": distribution, "version": version, "provides": dict(names)}
        for (distribution, version), names in sorted(provides.items())
    ]


def _provides(names: dict[str, list[str]]) -> str:
    return "; ".join(f"{kind} {', '.join(sorted(each))}" for kind, each in names.items())

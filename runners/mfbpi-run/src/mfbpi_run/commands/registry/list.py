"""``mfbpi list``: the installed plugins."""

from __future__ import annotations

import click

from mfbpi_core.plugins.kinds import KINDS, kind_called
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import KindCommand
from mfbpi_run.screen.output import cause, show_json, show_table, warn_of_problems


@click.command(cls=KindCommand, name="list", kinds=lambda: KINDS)
@click.argument("kind", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def list_plugins(kind: str | None, as_json: bool) -> None:
    """List the installed plugins, all or those of one KIND."""
    kinds = KINDS if kind is None else [kind_called(kind).name]
    registry = Registry.discover()
    warn_of_problems(registry)
    plugins = [
        {
            "kind": plugin.kind,
            "name": plugin.spec.name,
            "summary": plugin.spec.summary,
            "distribution": plugin.distribution,
            "version": plugin.version,
        }
        for each in kinds
        for plugin in registry.of_kind(each)
    ]
    if as_json:
        problems = [
            {"distribution": p.distribution, "version": p.version, "cause": cause(p)}
            for p in registry.problems
        ]
        show_json({"plugins": plugins, "problems": problems})
        return
    columns = ("kind", "name", "summary", "distribution")
    show_table(
        columns,
        [[plugin[column] for column in columns] for plugin in plugins],
        wrap=("summary",),
        drop=("distribution",),
    )

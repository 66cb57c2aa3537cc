"""``mfbpi check``: the conformance checks on one distribution, or on a class in a file."""

from __future__ import annotations

from collections import Counter

import click

from mfbpi.execute.working import compiled
from mfbpi.plan import own
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import Command
from mfbpi_run.exit_codes import FAILED
from mfbpi_run.screen.output import say, show_json, show_table


@click.command(cls=Command, name="check")
@click.argument("distribution")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def check(distribution: str, as_json: bool) -> int:
    """Run the conformance checks on every plugin of an installed DISTRIBUTION.

    A class without packaging is given as ./FILE.py:CLASS.
    """
    # Imported here because the kit is the only part of the core that may need pytest.
    from mfbpi_core import testing

    registry = Registry.discover()
    compiled.find_place(registry)
    alone = own.of_any_kind(registry, distribution)
    found = (
        testing.run_checks(distribution)
        if alone is None
        else [check.result() for check in testing.checks_of(alone, registry)]
    )
    results = [(r.plugin, r.check, r.status, " ".join(r.message.split())) for r in found]
    columns = ("plugin", "check", "status", "message")
    if as_json:
        listed = [dict(zip(columns, row, strict=True)) for row in results]
        show_json({"distribution": distribution, "results": listed})
    else:
        show_table(columns, results, wrap=("message",))
        counts = Counter(status for _, _, status, _ in results)
        totals = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        say(f"{len(results)} checks: {totals}")
    return FAILED if any(status == "failed" for _, _, status, _ in results) else 0

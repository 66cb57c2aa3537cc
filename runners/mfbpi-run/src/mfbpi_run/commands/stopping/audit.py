"""``mfbpi audit``: does a stopping rule keep its word?"""

from __future__ import annotations

from typing import Any

import click

import mfbpi
from mfbpi.api.auditing import Audit, Share
from mfbpi.plan import selection
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import Command
from mfbpi_run.exit_codes import FAILED
from mfbpi_run.screen.output import say, show_json


@click.command(cls=Command, name="audit")
@click.option("--stop", required=True, metavar="NAME", help="The stopping rule.")
@click.option("-S", "stop_settings", multiple=True, metavar="KEY=VALUE", help="Its parameters.")
@click.option("--agent", required=True, metavar="NAME", help="Who explores.")
@click.option("-A", "agent_settings", multiple=True, metavar="KEY=VALUE", help="Its parameters.")
@click.option("--env", "environment", required=True, metavar="NAME", help="Its model is known.")
@click.option("-E", "settings", multiple=True, metavar="KEY=VALUE", help="Its parameters.")
@click.option("--replicas", type=int, default=100, show_default=True, help="How many.")
@click.option("--steps", type=int, default=20_000, show_default=True, help="Of each replica.")
@click.option("--discount", type=float, help="gamma; the environment's own by default.")
@click.option("--delta", type=float, default=0.1, show_default=True, help="Risk.")
@click.option("--epsilon", type=float, default=0.0, show_default=True, help="Accepted loss.")
@click.option("--scope", default="all", show_default=True, help="all, visited or initial.")
@click.option("--near-tie", type=float, metavar="GAP", help="Audit the twin with this least gap.")
@click.option("--first-seed", type=int, default=0, show_default=True, help="Of the replicas.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def audit(
    stop: str,
    stop_settings: tuple[str, ...],
    agent: str,
    agent_settings: tuple[str, ...],
    environment: str,
    settings: tuple[str, ...],
    as_json: bool,
    **asked: Any,
) -> int:
    """Count how often a rule, and its confidence sets, are wrong where the truth is known.

    Exit code 1 if a risk above delta is certain (95 %), else 0.

    Example: mfbpi audit --stop kl_box --agent fw_bpi --env riverswim --replicas 200
    """
    registry = Registry.discover()
    (where,) = selection.environments(registry, [environment], settings)
    (who,) = selection.agents(registry, [agent], agent_settings)
    rule = selection.stopping_rule(registry, stop, stop_settings)
    # By the names given: what a class of a file is called here is not where it is found again.
    found = mfbpi.audit(
        stop=mfbpi.stopping_rule(stop, **rule.values),
        agent=mfbpi.agent(agent, **who.values),
        environment=mfbpi.environment(environment, **where.values),
        **asked,
    )
    if as_json:
        show_json(_plain(found))
    else:
        _show(found)
    return FAILED if found.violated else 0


def _plain(found: Audit) -> JsonObject:
    return {
        "stopped": found.stopped,
        "wrong": _numbers(found.wrong),
        "left": None if found.left is None else _numbers(found.left),
    }


def _numbers(share: Share) -> JsonObject:
    ends = {"low": share.low, "high": share.high}
    found = {"finding": share.finding, "needed": share.needed}
    return {"count": share.count, "replicas": share.n, **ends, **found}


def _show(found: Audit) -> None:
    say(f"stopped: {found.stopped} of {found.wrong.n} replicas")
    say(f"stopped and wrong: {_words(found.wrong)}")
    if found.left is None:
        say("truth left the sets: the rule has none of which to say it")
    else:
        say(f"truth left the sets: {_words(found.left)}")


def _words(share: Share) -> str:
    ends = f"[{share.low:.3g}, {share.high:.3g}]"
    needed = "" if share.needed is None else f", needs about {share.needed:,} replicas"
    found = f"{share.finding}{needed}"
    return f"{share.count} of {share.n}, 95 % {ends}, risk {share.delta:g}: {found}"

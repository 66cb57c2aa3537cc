"""``mfbpi describe``: the quantities that say how hard an instance is."""

from __future__ import annotations

import math
from typing import Any

import attrs
import click

from mfbpi.execute import compiled
from mfbpi.instances import instance
from mfbpi_core.plugins.registry import Registry
from mfbpi_run import instance_options
from mfbpi_run.command import Command
from mfbpi_run.output import say, show_json, show_table, warn, warn_of_problems

#: Quantities in the order shown, with their meaning; Delta is the gap, V* the optimal value.
_MEANING = {
    "n_states": "states S",
    "n_actions": "actions A",
    "delta_min": "least sub-optimality gap",
    "delta_max": "largest sub-optimality gap",
    "md_min": "least span: largest deviation of V* from its mean at the next state",
    "md_max": "largest span",
    "var_min": "least variance of V* at the next state",
    "var_max": "largest variance",
    "moment_max": "largest (M^k)^(2^-k), k = 1..19",
    "ties": "pairs (s, a) that are optimal too",
    "unresolved": "pairs whose gap cannot be told from zero",
    "communicating": "every state can be reached from every other",
    "unreachable": "states that no walk from the start visits",
    "n_closed_classes": "sets of states that cannot be left",
}

#: Members of a list that are shown, and digits of a number.
_SHOWN = 5
_DIGITS = 6


@click.command(cls=Command, name="describe")
@instance_options.instance
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def describe(as_json: bool, **where: Any) -> None:
    """Describe an instance: sizes, gaps, variances, spans, moments, ties, structure.

    Example: mfbpi describe --env riverswim -E n_states=20 --discount 0.95
    """
    # Imported here because `mfbpi --help` and `mfbpi list` do without.
    from mfbpi_lib_tabular import description

    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    found = instance.find(registry, **where)
    for message in description.diagnose(found.mdp):
        warn(message)
    quantities = attrs.asdict(description.describe(found.mdp, found.discount))
    if as_json:
        show_json({"discount": found.discount, **quantities})
        return
    errors = quantities["errors"]
    rows = [(name, _text(quantities[name], errors.get(name)), _MEANING[name]) for name in _MEANING]
    show_table(("quantity", "value", "meaning"), rows, right=("value",), wrap=("meaning",))
    say(f"{found.label} at discount {found.discount:g}.")


def _text(value: Any, error: float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return known_digits(value, error or 0.0)
    if isinstance(value, list):
        return _listing(value)
    return str(value)


def known_digits(value: float, error: float) -> str:
    """A number that is 0 or more with the digits that are known, six at most.

    Args:
        value: the number.
        error: how far off it may be; where that may be all of it, an upper bound is given.
    """
    if error == 0.0 or not math.isfinite(value):
        return f"{value:.{_DIGITS}g}"
    if not math.isfinite(error):
        return "unknown"
    digits = math.floor(math.log10(value / error)) if value > error else 0
    if digits < 1:
        most, power = value + error, math.floor(math.log10(value + error))
        return f"below {math.ceil(most / 10.0**power)}e{power:+03d}"
    return f"{value:.{min(digits, _DIGITS)}g}"


def _listing(values: list[Any]) -> str:
    if not values:
        return "none"
    shown = ", ".join(str(value) for value in values[:_SHOWN])
    return f"{len(values)}: {shown}{', ...' if len(values) > _SHOWN else ''}"

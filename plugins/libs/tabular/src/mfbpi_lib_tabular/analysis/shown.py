"""Descriptions for people: each quantity with the digits that are known, and what it means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mfbpi_lib_tabular.analysis.description import Description
    from mfbpi_lib_tabular.analysis.hardness import Measure

#: Quantities in the order shown, with their meaning; Delta is the gap, V* the optimal value.
MEANING = {
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

#: The measures of hardness, likewise; the literature is in :mod:`.hardness`.
HARDNESS = {
    "diameter": "longest of the fastest ways between two states, in expected steps",
    "rarest_state": "least over states of the largest frequency a policy gives it, from any start",
    "rarest_pair": "largest least frequency of a pair (s, a) under a policy",
    "uniform_frequency": "least frequency of a state under the uniform policy",
    "inverse_gaps": "sum of 1 / gap over sub-optimal pairs",
    "value_norm": "largest standard deviation of V* at the next state",
    "value_span": "largest less least V*",
}

#: Members of a list that are shown, and digits of a number.
_SHOWN = 5
_DIGITS = 6


def rows(described: Description) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each quantity."""
    errors = described.errors
    own = [
        (name, _text(getattr(described, name), errors.get(name)), meaning)
        for name, meaning in MEANING.items()
    ]
    if described.hardness is None:
        return own
    measures = described.hardness
    return own + [(n, _measured(getattr(measures, n)), text) for n, text in HARDNESS.items()]


def plain(described: Description) -> str:
    """The same in columns."""
    cells = rows(described)
    names, values = (max(len(row[i]) for row in cells) for i in (0, 1))
    return "\n".join(f"{n.ljust(names)}  {v.rjust(values)}  {m}" for n, v, m in cells)


def _text(value: object, error: float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return known_digits(value, error or 0.0)
    if isinstance(value, list):
        return _listing(value)
    return str(value)


def _measured(measure: Measure | None) -> str:
    if measure is None:
        return "too many states"
    return f"{measure.sign} {known_digits(measure.value, measure.error)}".strip()


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


def _listing(values: Sequence[object]) -> str:
    if not values:
        return "none"
    shown = ", ".join(str(value) for value in values[:_SHOWN])
    return f"{len(values)}: {shown}{', ...' if len(values) > _SHOWN else ''}"

"""What a format has no place for, as one line of JSON: a comment, a key, or metadata of the file.

``{"discount", "reward_law", "reward_range", "initial", "terminal", "states", "actions"}``, all of
them optional; states are called by their names.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files.named import Draft, Named

#: What the line begins with, after the sign for comments.
MARK = "mfbpi: "

KEYS = ("discount", "reward_law", "reward_range", "initial", "terminal", "states", "actions")


def of(model: Named) -> JsonObject:
    """The header of a model."""
    mdp, names = model.mdp, model.states
    told: JsonObject = {
        "reward_law": mdp.reward_law,
        "reward_range": list(mdp.reward_range),
        "initial": {names[s]: float(mdp.initial[s]) for s in np.flatnonzero(mdp.initial)},
        "terminal": [names[s] for s in np.flatnonzero(mdp.terminal)],
        "states": list(names),
        "actions": list(model.actions),
    }
    return told if model.discount is None else {"discount": model.discount, **told}


def line(model: Named) -> str:
    """The header on one line, with its mark."""
    return MARK + json.dumps(of(model), ensure_ascii=False)


def parsed(text: str, where: str) -> JsonObject:
    """The header in a text, checked.

    Raises:
        UsageError: naming the place, the key and its value.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: {error}; expected JSON after {MARK!r}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{where}: {text:.60}; expected a JSON object")
    return checked(found, where)


def checked(found: JsonObject, where: str) -> JsonObject:
    """The same for a header that is parsed."""
    for key, value in found.items():
        if key not in KEYS:
            raise UsageError(f"{where}: unknown key {key!r}; known are {', '.join(KEYS)}")
        if not _FITS[key](value):
            raise UsageError(f"{where}: {key} is {value!r:.60}; expected {_EXPECTED[key]}")
    return found


def names(found: JsonObject, key: str) -> list[str] | None:
    """Names of states or actions, if the header has them."""
    return None if key not in found else [str(name) for name in found[key]]


def apply(found: JsonObject, draft: Draft, where: str) -> None:
    """Put into a draft what the header says; raises :class:`UsageError` for unknown states."""
    index = {name: number for number, name in enumerate(draft.states)}
    for key in ("initial", "terminal"):
        for name in found.get(key, ()):
            if name not in index:
                raise UsageError(f"{where}: {key} names the state {name!r}, which is not there")
    if "initial" in found:
        draft.initial = np.zeros(len(draft.states))
        for name, probability in found["initial"].items():
            draft.initial[index[name]] = probability
    draft.terminal |= {index[name] for name in found.get("terminal", ())}
    draft.discount = found.get("discount", draft.discount)
    draft.reward_law = found.get("reward_law", draft.reward_law)
    if "reward_range" in found:
        low, high = found["reward_range"]
        draft.reward_range = (float(low), float(high))


def is_name(text: str) -> bool:
    """Whether a text can name a state or an action: printable, and without space around it."""
    return text != "" and text.isprintable() and text == text.strip()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_names(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(name, str | int) for name in value):
        return False
    texts = [str(name) for name in value]
    return len(set(texts)) == len(texts) and all(map(is_name, texts))


def _is_range(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
        return False
    return bool(value[0] < value[1])


def _is_discount(value: Any) -> bool:
    return _is_number(value) and 0.0 < value < 1.0


_FITS = {
    "discount": _is_discount,
    "reward_law": lambda v: v in ("deterministic", "bernoulli"),
    "reward_range": _is_range,
    "initial": lambda v: isinstance(v, dict) and all(map(_is_number, v.values())),
    "terminal": _are_names,
    "states": _are_names,
    "actions": _are_names,
}

_EXPECTED = {
    "discount": "a number between 0 and 1, exclusive",
    "reward_law": "'deterministic' or 'bernoulli'",
    "reward_range": "[LOW, HIGH], two numbers of which the first is smaller",
    "initial": "an object from states to probabilities",
    "terminal": "a list of distinct, printable names of states",
    "states": "a list of distinct, printable names",
    "actions": "a list of distinct, printable names",
}

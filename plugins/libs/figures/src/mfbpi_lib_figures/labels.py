"""The order of labels, and what they say: ``riverswim(n_states=5)`` is a size of a family."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def natural(label: str) -> list[tuple[int, int, str]]:
    """Key by which labels sort with their numbers in order of size."""
    parts = re.split(r"(\d+)", label)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def family(label: str) -> str:
    """What comes before the parameters."""
    return label.partition("(")[0]


def families(labels: Iterable[str]) -> dict[str, list[str]]:
    """Labels by family, both in natural order, each once."""
    grouped: dict[str, list[str]] = {}
    for label in sorted(set(labels), key=natural):
        grouped.setdefault(family(label), []).append(label)
    return grouped


def ticks(labels: Sequence[str]) -> tuple[str, list[str]]:
    """What distinguishes the labels of one family.

    Settings that all labels share are left out: the panel's title says them.

    Returns:
        The parameter, and its value in each label; where they differ in more than one parameter,
        ``"instance"`` and all of them.
    """
    settings = [_settings(label) for label in labels]
    shared = set.intersection(*map(set, settings)) if len(settings) > 1 else set()
    rest = [[item for item in each if item not in shared] for each in settings]
    keys = {item.partition("=")[0] for each in rest for item in each}
    if len(keys) == 1 and all(len(each) == 1 for each in rest):
        return keys.pop(), [each[0].partition("=")[2] for each in rest]
    return "instance", [",".join(each) for each in rest]


def title(labels: Sequence[str]) -> str:
    """The family, with the settings that all of several labels share; a single label is whole."""
    if len(labels) == 1:
        return labels[0]
    shared = [item for item in _settings(labels[0]) if all(item in _settings(x) for x in labels)]
    return family(labels[0]) + (f"({','.join(shared)})" if shared else "")


def _settings(label: str) -> list[str]:
    inside = label.partition("(")[2].removesuffix(")")
    return inside.split(",") if inside else []

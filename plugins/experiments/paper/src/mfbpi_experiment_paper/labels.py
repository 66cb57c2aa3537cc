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

    Returns:
        The parameter, and its value in each label; where they differ in more than one parameter,
        ``"instance"`` and all of them.
    """
    settings = [label.partition("(")[2].removesuffix(")") for label in labels]
    keys = {setting.partition("=")[0] for setting in settings}
    if len(keys) == 1 and not any("," in setting for setting in settings):
        return keys.pop() or "instance", [setting.partition("=")[2] for setting in settings]
    return "instance", settings

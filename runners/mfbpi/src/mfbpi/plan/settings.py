"""Reads two small languages: KEY=VALUE settings and sets of seeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import attrs

from mfbpi_core.errors import UsageError

#: More seeds than anyone runs at once: beyond it, a typing error is more likely.
MAX_SEEDS = 100_000

_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,30}\s*", re.ASCII)

#: Seeds are stored as 64-bit integers.
_SEED_LIMIT = 2**63


@attrs.frozen(kw_only=True)
class Setting:
    """One ``KEY=VALUE`` or ``NAME.KEY=VALUE``.

    Attributes:
        option: the field it was given in, for messages.
        target: the plugin it is meant for; None for every one that has the key.
        key: name of the parameter.
        value: its value as text.
    """

    option: str
    target: str | None
    key: str
    value: str

    def __str__(self) -> str:
        prefix = "" if self.target is None else f"{self.target}."
        return f"`{self.option}` {prefix}{self.key}={self.value}"


def parse_settings(option: str, texts: Sequence[str]) -> list[Setting]:
    """Read each of some texts; see :func:`parse_setting`."""
    return [parse_setting(option, text) for text in texts]


def parse_setting(option: str, text: str) -> Setting:
    """Read ``KEY=VALUE`` or ``NAME.KEY=VALUE``; raises :class:`UsageError`."""
    left, separator, value = text.partition("=")
    target, dot, key = left.strip().rpartition(".")
    if not separator or not key or (dot and not target):
        raise UsageError(f"`{option}` {text!r}: expected KEY=VALUE or NAME.KEY=VALUE")
    return Setting(option=option, target=target or None, key=key, value=value.strip())


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read seeds: ``0:10`` is 0 to 9, ``3`` is seed 3 alone, ``0,2,5`` a list of either.

    Raises:
        UsageError: for anything else, an empty range, a negative or a repeated seed.
    """
    seeds = [seed for part in text.split(",") for seed in _seed_range(text, part.strip())]
    if len(set(seeds)) < len(seeds):
        repeated = next(seed for seed in seeds if seeds.count(seed) > 1)
        raise UsageError(f"`seeds` {text!r}: seed {repeated} is given twice; expected each once")
    return tuple(seeds)


def compact(seeds: Iterable[int]) -> str:
    """Seeds in the notation of the command line, sorted, ranges for what is consecutive."""
    found: list[list[int]] = []
    for seed in sorted(set(seeds)):
        if found and seed == found[-1][1]:
            found[-1][1] += 1
        else:
            found.append([seed, seed + 1])
    return ",".join(f"{start}:{stop}" if stop - start > 1 else f"{start}" for start, stop in found)


def _seed_range(text: str, part: str) -> range:
    first, colon, last = part.partition(":")
    try:
        start = _whole(first) if first or not colon else 0
        stop = _whole(last) if colon else start + 1
    except ValueError:
        raise UsageError(
            f"`seeds` {text!r}: expected a range such as 0:10, a seed, or a list such as 0,2,5"
        ) from None
    if start < 0 or stop > _SEED_LIMIT:
        raise UsageError(f"`seeds` {text!r}: expected seeds from 0 to 2**63 - 1")
    if not 0 < stop - start <= MAX_SEEDS:
        what = "is empty" if stop <= start else f"has {stop - start} seeds"
        raise UsageError(f"`seeds` {text!r}: {part} {what}; expected 1 to {MAX_SEEDS:,} seeds")
    return range(start, stop)


def _whole(text: str) -> int:
    """A whole number as people write it: Python's ``int`` would take ``1_0`` for 10."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def unique(option: str, names: Sequence[str], advice: str = "") -> None:
    """Refuse a name that is given twice; raises :class:`UsageError`."""
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UsageError(f"{option} {name} is given twice; expected each name once{advice}")

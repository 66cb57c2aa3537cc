"""Shards: the tasks of one grid, dealt out to processes that know nothing of each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import attrs

from mfbpi_core.errors import UsageError

T = TypeVar("T")

#: More shards than anyone has machines for; each has a file of its own.
_MOST = 100_000

_GIVEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@attrs.frozen(order=True)
class Shard:
    """One of several equal parts of a grid.

    Attributes:
        index: which of them, from 0.
        count: how many there are.
    """

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def tag(self) -> str:
        """What the names of its files have, such as ``"3-of-16"``."""
        return f"{self.index}-of-{self.count}"

    def of(self, things: Sequence[T]) -> Sequence[T]:
        """Every ``count``-th, so that each shard has its part of what is slow."""
        return things[self.index :: self.count]


def parse(text: str | None) -> Shard | None:
    """Read ``I/N``; None stays None.

    Raises:
        UsageError: when it is something else, or there is no such shard.

    Example:
        >>> parse("3/16").tag
        '3-of-16'
    """
    if text is None:
        return None
    given = _GIVEN.fullmatch(text.strip())
    shard = Shard(int(given[1]), int(given[2])) if given else None
    if shard is None or not 0 <= shard.index < shard.count <= _MOST:
        raise UsageError(
            f"`shard` is {text!r}; expected I/N with I from 0 to N-1, such as 0/16, 1/16, ... 15/16"
        )
    return shard

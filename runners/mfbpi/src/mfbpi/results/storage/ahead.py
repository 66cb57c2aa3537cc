"""Many files one after the other, without waiting for a remote server with each of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from mfbpi.results.storage.places import Place

S = TypeVar("S")
T = TypeVar("T")

#: Files of a remote file system that are read at the same time.
_AT_ONCE = 16


def ahead(function: Callable[[S], T], items: Iterable[S], directory: Place) -> Iterator[T]:
    """What a function makes of each item, in their order.

    Args:
        function: reads files of the directory; it may be called in threads.
        items: what it is called with.
        directory: where the files lie.
    """
    if isinstance(directory, Path):
        yield from map(function, items)
        return
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= 2 * _AT_ONCE:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

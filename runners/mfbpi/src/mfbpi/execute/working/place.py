"""The working directory of a task: a plugin may change it, and relative paths must not follow."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Be back in the working directory at the end of the block, if it is still there."""
    try:
        before = os.getcwd()  # noqa: PTH109 - which fails where it was removed, as does Path.cwd
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.chdir(before)

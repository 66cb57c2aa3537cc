"""Copies of this process, made by a plugin that forks, must not go on with our work."""

from __future__ import annotations

import os

_MESSAGE = (
    "mfbpi: a plugin forked, and the copy returned into the run, where it was ended: its work is "
    "done by the original (end a copy with os._exit, or use multiprocessing)\n"
)


def end_copy(owner: int) -> None:
    """End this process at once if it is a copy of ``owner``, whose work it would do again.

    Without the clean-up at the end of a process, which is the owner's too.
    """
    if os.getpid() != owner:
        os.write(2, _MESSAGE.encode())
        os._exit(0)

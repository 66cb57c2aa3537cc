"""What a machine can hold: asked before arrays are made that grow with the square of the states.

The system hands out more memory than there is, and ends the process that comes to use it, without
a word.
"""

from __future__ import annotations

import os
from pathlib import Path

from mfbpi_core.errors import RequirementError

#: Where Linux has the limit of a container.
_LIMIT = Path("/sys/fs/cgroup/memory.max")

#: Bytes of an entry (s, a, s'): its count, and its probability in an estimate.
_ENTRY = 16

_GIB = 2.0**30


def require_room(n_states: int, n_actions: int) -> None:
    """Refuse counts of transitions [S, A, S] which, with one estimate, fill more than there is.

    Raises:
        RequirementError: saying how much is needed, and how much there is.
    """
    needed, there_is = _ENTRY * n_states * n_actions * n_states, total()
    if there_is is not None and needed > there_is:
        raise RequirementError(
            f"counts and estimates of the transitions between {n_states} states by {n_actions} "
            f"actions fill {needed / _GIB:.3g} GiB at least, and this machine has "
            f"{there_is / _GIB:.3g} GiB; expected fewer states, a larger machine, or an agent "
            "that keeps no model (q_learning, q_ucb, mf_bpi)"
        )


def total() -> int | None:
    """Bytes of memory of the machine, or of the container; None where the system does not tell."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    try:
        return min(machine, int(_LIMIT.read_text()))
    except (OSError, ValueError):  # another system, or "max"
        return machine

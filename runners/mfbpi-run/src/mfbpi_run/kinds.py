"""The kinds of plugins as the command line spells them."""

from __future__ import annotations

from collections.abc import Iterable

from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import KINDS

_SHORT = {"env": "environment", "envs": "environment"}


def parse_kind(text: str, kinds: Iterable[str] = KINDS) -> str:
    """Read ``agent``, ``agents``, ``env``, ...: the kind in the singular.

    Args:
        text: what the user wrote.
        kinds: the kinds allowed.

    Raises:
        UsageError: for anything else, with the list of kinds.
    """
    kind = _SHORT.get(text, text.removesuffix("s"))
    if kind not in kinds:
        raise UsageError(f"{text!r} is not a kind of plugin; expected {', '.join(kinds)}")
    return kind

"""What a class is: of which kind, and which content; equal code and constants give equal digits."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from mfbpi.notices import note
from mfbpi.plan import beside, whose
from mfbpi.plan.content import Content
from mfbpi_core.contracts.parameters import NoConfig
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.kinds import KINDS

#: Kinds that need no packaging, and the attributes of a class that its spec takes, with what they
#: are if the class has none.
DECLARED: dict[str, dict[str, Any]] = {
    "agent": {"needs": {"states"}},
    "environment": {},
    "metric": {"needs": frozenset(), "columns": ()},
    "bound": {},
    "stopping_rule": {"guarantee": "none", "exact": True},
}

#: Digits of the hash in names.
_DIGITS = 16


def digest(content: bytes) -> str:
    """The digits that stand for some content."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def definition(defined: type, *, say: bool = True) -> bytes:
    """What a class does: its code, that of what it is derived from, and all that this refers to.

    Modules of the user's count with their files too: those that functions import when they are
    called, and those that classes and functions come from. What of it cannot be told is noted,
    if ``say``.

    Raises:
        UsageError: when one of these was edited after this process had imported it.
    """
    content = Content()
    content.add(defined)
    content.add(config_of(defined))
    if say and (content.unread or not content.is_whole):
        note(_not_told(defined, content))
    beside.refuse_edited([defined.__module__])
    others = content.modules - {defined.__module__}
    return b"".join([content.hexdigest().encode(), *beside.contents(others)])


def config_of(defined: type) -> type:
    """The parameters of a class: the ``Config`` in it or, if it has a file, beside it."""
    home = None if whose.is_of_session(defined.__module__) else sys.modules.get(defined.__module__)
    outside: type = getattr(home, "Config", NoConfig)
    return getattr(defined, "Config", None) or outside


def _not_told(defined: type, content: Content) -> str:
    """What an edit of would go unnoticed."""
    held = "" if content.is_whole else "more objects than are looked at"
    named = (
        held or f"objects that tell nothing of what they hold, {', '.join(sorted(content.unread))}"
    )
    return (
        f"{defined.__name__} refers to {named}: with others of them it would be taken for the same "
        "class, and `resume` would keep what was run before"
    )


def kind_of(found: object, shown: str = "") -> str:
    """The kind of a class; ``shown`` begins the message about what is none.

    Raises:
        UsageError: when it is no plugin.
    """
    for kind in DECLARED:
        if isinstance(found, type) and issubclass(found, base(kind)):
            return kind
    raise UsageError(f"{shown}{found!r}; expected a class derived from one of {bases(', ')}")


def bases(between: str) -> str:
    """The names of the contracts that a class may be derived from."""
    return between.join(base(kind).__name__ for kind in DECLARED)


def is_plugin(found: object) -> bool:
    """Whether it is a class derived from one of them."""
    contracts = tuple(base(kind) for kind in DECLARED)
    return isinstance(found, type) and issubclass(found, contracts) and found not in contracts


def base(kind: str) -> type:
    """The contract of a kind."""
    contract = KINDS[kind].factory.contract
    assert contract is not None
    return contract

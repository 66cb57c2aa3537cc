"""The type variable of the contracts: the configuration of a plugin.

``class MyAgent(Agent[Config])`` has a ``config`` that type checkers know; ``class MyAgent(Agent)``
has one that may be anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Type checkers bring this module along; nothing imports it when the program runs.
    from typing_extensions import TypeVar

    C = TypeVar("C", default=Any)
else:
    from typing import TypeVar

    C = TypeVar("C")

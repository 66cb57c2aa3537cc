"""The type variable of the contracts: the configuration of a plugin.

``class MyAgent(Agent[Config])`` has a ``config`` that type checkers know; ``class MyAgent(Agent)``
has one that may be anything: so says the stub beside this file, for which Python 3.11 has no words.
"""

from __future__ import annotations

from typing import TypeVar

C = TypeVar("C")

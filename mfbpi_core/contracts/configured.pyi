from typing import Any

from typing_extensions import TypeVar

C = TypeVar("C", default=Any)

"""A certificate as JSON holds it."""

from __future__ import annotations

from typing import Any, TypeAlias

#: The fields of an object; nothing is known of them before they are checked.
Fields: TypeAlias = dict[str, Any]

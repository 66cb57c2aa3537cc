"""A directory of this machine for what belongs to results that lie elsewhere."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def beside(url: str) -> Path:
    """The user's cache, below it a folder for each place; a relative one where there is no home.

    Only its owner writes there, unlike in the directory of temporary files.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - which does not fail without a home
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    if not cache.is_absolute():
        cache = Path("results").absolute()
    return cache / "mfbpi" / hashlib.sha256(url.encode()).hexdigest()[:16]

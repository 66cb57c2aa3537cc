"""A measured number."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Row:
    """One measured number of one run."""

    step: int
    episode: int
    metric: str
    value: float
    elapsed_s: float

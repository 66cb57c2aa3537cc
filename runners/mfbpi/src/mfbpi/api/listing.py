"""What is installed."""

from __future__ import annotations

import attrs

from mfbpi.notices import warn
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import did_you_mean


@attrs.frozen(kw_only=True)
class Listed:
    """An installed plugin.

    Attributes:
        kind: what it is.
        name: what finds it.
        summary: one line on it.
        distribution: where it comes from.
        version: of the distribution.
    """

    kind: str
    name: str
    summary: str
    distribution: str
    version: str


def list_plugins(kind: str | None = None) -> list[Listed]:
    """The installed plugins, all or those of one kind; what failed to load is warned of.

    Raises:
        UsageError: when there is no such kind.

    Example:
        >>> import mfbpi
        >>> "mf_bpi" in [plugin.name for plugin in mfbpi.list_plugins("agent")]
        True
    """
    if kind is not None and kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise UsageError(f"`kind` is {kind!r}; {hint}expected one of: {', '.join(KINDS)}")
    registry = Registry.discover()
    for problem in registry.problems:
        warn(str(problem))
    return [
        Listed(
            kind=plugin.kind,
            name=plugin.spec.name,
            summary=plugin.spec.summary,
            distribution=plugin.distribution,
            version=plugin.version,
        )
        for each in (KINDS if kind is None else [kind])
        for plugin in registry.of_kind(each)
    ]

"""Best-policy identification as a library: run, read, describe and bound.

Example:
    >>> import mfbpi
    >>> results = mfbpi.run(
    ...     agents=["mf_bpi", mfbpi.agent("q_ucb", bonus_scale=0.1)], environments=["riverswim"],
    ...     seeds=range(2), steps=400, executor="serial",
    ... )
    >>> sorted(set(results.table["agent"].to_pylist()))
    ['mf_bpi', 'q_ucb(bonus_scale=0.1)']

Whatever is wrong with what is asked for is a :class:`UsageError`, which names the argument.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

#: Each name to the module that has it, imported when it is used.
_HOMES = {
    "agent": "mfbpi.api.given",
    "environment": "mfbpi.api.given",
    "metric": "mfbpi.api.given",
    "executor": "mfbpi.api.given",
    "stopping_rule": "mfbpi.api.given",
    "run": "mfbpi.api.running",
    "sweep": "mfbpi.api.sweeping",
    "make_environment": "mfbpi.api.building",
    "make_agent": "mfbpi.api.building",
    "mdp": "mfbpi.api.instances",
    "play": "mfbpi.api.playing",
    "describe": "mfbpi.api.instances",
    "solve": "mfbpi.api.instances",
    "bound": "mfbpi.api.instances",
    "list_plugins": "mfbpi.api.listing",
    "audit": "mfbpi.api.auditing",
    "certify": "mfbpi.api.certifying",
    "verify": "mfbpi.api.verifying",
    "load": "mfbpi.results.loaded",
    "collect": "mfbpi.results.collecting.collect",
    "status": "mfbpi.results.status",
    "reproduce": "mfbpi.api.reproducing",
    "Results": "mfbpi.results.loaded",
    "Observer": "mfbpi.execute.events",
    "Interrupted": "mfbpi.execute.session",
    "StoppedError": "mfbpi.execute.session",
    "MfbpiError": "mfbpi_core.errors",
    "MfbpiWarning": "mfbpi_core.errors",
    "UsageError": "mfbpi_core.errors",
}

if TYPE_CHECKING:
    from mfbpi.api.auditing import audit
    from mfbpi.api.building import make_agent, make_environment
    from mfbpi.api.certifying import certify
    from mfbpi.api.given import agent, environment, executor, metric, stopping_rule
    from mfbpi.api.instances import bound, describe, mdp, solve
    from mfbpi.api.listing import list_plugins
    from mfbpi.api.playing import play
    from mfbpi.api.reproducing import reproduce
    from mfbpi.api.running import run
    from mfbpi.api.sweeping import sweep
    from mfbpi.api.verifying import verify
    from mfbpi.execute.events import Observer
    from mfbpi.execute.session import Interrupted, StoppedError
    from mfbpi.results.collecting.collect import collect
    from mfbpi.results.loaded import Results, load
    from mfbpi.results.status import status
    from mfbpi_core.errors import MfbpiError, MfbpiWarning, UsageError

__all__ = [
    "Interrupted",
    "MfbpiError",
    "MfbpiWarning",
    "Observer",
    "Results",
    "StoppedError",
    "UsageError",
    "agent",
    "audit",
    "bound",
    "certify",
    "collect",
    "describe",
    "environment",
    "executor",
    "list_plugins",
    "load",
    "make_agent",
    "make_environment",
    "mdp",
    "metric",
    "play",
    "reproduce",
    "run",
    "solve",
    "status",
    "stopping_rule",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import what is used; ``__version__`` comes from the metadata of the distribution."""
    if name == "__version__":
        from importlib.metadata import version

        return version("mfbpi")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})

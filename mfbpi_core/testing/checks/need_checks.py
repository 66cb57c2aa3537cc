"""Checks of agents and metrics: what they need exists, so that they can be tried."""

from __future__ import annotations

from mfbpi_core.plugins import capabilities
from mfbpi_core.testing.checks import metric_checks
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject


def needs_are_known(subject: Subject) -> None:
    """Every need is a word of the core, or a feature of an environment that is installed."""
    needs = subject.plugin.spec.needs
    features = frozenset[str]()
    if capabilities.unknown(needs, features):  # only then is it worth building every environment
        features = subject.features()
    unknown = capabilities.unknown(needs, features)
    known = sorted({*capabilities.OF_ENVIRONMENTS, *capabilities.OF_AGENTS, *features})
    require(
        not unknown,
        f"needs {', '.join(unknown)}, which nothing provides; "
        f"{capabilities.hint(unknown, features)}known are: {', '.join(known)}",
    )


def agent_can_be_tried(subject: Subject) -> None:
    """There is an environment in which the agent can act; else nothing of it is checked."""
    try:
        subject.world()
    except CheckSkipped as skipped:
        require(False, f"{skipped}; install one, or see `needs`")


def metric_can_be_tried(subject: Subject) -> None:
    """There is a run in which the metric can measure; else nothing of it is checked."""
    try:
        metric_checks.world_of(subject)
    except CheckSkipped as skipped:
        require(False, f"{skipped}; install one, or see `needs`")


AGENT_CHECKS = (needs_are_known, agent_can_be_tried)
METRIC_CHECKS = (needs_are_known, metric_can_be_tried)

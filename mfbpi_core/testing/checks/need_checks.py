"""Checks of what plugins need and offer: the words exist, and promises are kept."""

from __future__ import annotations

from mfbpi_core.plugins import capabilities
from mfbpi_core.testing.checks import metric_checks
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject


def needs_are_known(subject: Subject) -> None:
    """Every need is a word of the core, or a feature that an installed environment declares."""
    _require_known(subject, "needs", subject.plugin.spec.needs)


def features_are_known(subject: Subject) -> None:
    """Every feature is a word of the core, or declared by the spec of an installed environment."""
    _require_known(subject, "has the features", subject.environment().features)


def _require_known(subject: Subject, what: str, words: frozenset[str]) -> None:
    features = subject.registry.features()
    unknown = capabilities.unknown(words, features)
    require(
        not unknown,
        f"{what} {', '.join(unknown)}, which nothing provides; "
        f"{capabilities.hint(unknown, features)}known are: "
        f"{', '.join(sorted({*capabilities.WORDS, *features}))}",
    )


def features_keep_their_promise(subject: Subject) -> None:
    """An environment has the attributes that its features promise."""
    environment = subject.environment()
    for word in sorted(environment.provides & capabilities.WORDS.keys()):
        contract = capabilities.WORDS[word].contract
        if contract is not None:
            members = capabilities.members(contract)
            missing = [each for each in members if getattr(environment, each, None) is None]
            require(
                not missing, f"feature {word} promises {', '.join(missing)}, which is not there"
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
ENVIRONMENT_CHECKS = (features_are_known, features_keep_their_promise)

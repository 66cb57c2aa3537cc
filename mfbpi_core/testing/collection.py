"""Which checks apply to a distribution, and running them with or without pytest."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from typing import TYPE_CHECKING

from mfbpi_core.errors import NotFoundError
from mfbpi_core.plugins import hookspecs
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.testing.checks import plugin_checks
from mfbpi_core.testing.checks.plugin_checks import Distribution
from mfbpi_core.testing.outcomes import Check, CheckResult
from mfbpi_core.testing.subject import Subject

if TYPE_CHECKING:
    import pytest


def checks_for(distribution: str, registry: Registry | None = None) -> list[Check]:
    """Every check of a distribution and of its plugins; calling one runs it.

    Args:
        distribution: name of an installed distribution, such as ``"mfbpi-agent-mf-bpi"``.
        registry: the plugins installed; discovered if None.

    Raises:
        NotFoundError: when no distribution of that name declares entry points of ours.
    """
    registry = Registry.discover() if registry is None else registry
    package = _distribution(distribution, registry)
    plugins = [p for p in registry.plugins if _same(p.distribution, distribution)]
    of_plugins = (check for plugin in plugins for check in checks_of(plugin, registry))
    return [*_distribution_checks(package), *of_plugins]


def checks_of(plugin: Plugin, registry: Registry) -> list[Check]:
    """Every check of a single plugin, wherever it comes from.

    Args:
        plugin: the plugin.
        registry: where it finds what it is to be used with.
    """
    subject = Subject(plugin, registry)
    functions = plugin_checks.CHECKS + KINDS[plugin.kind].load_checks()
    return [_check(plugin, function, subject) for function in functions]


def run_checks(distribution: str) -> list[CheckResult]:
    """Run every check of a distribution, without pytest.

    Raises:
        NotFoundError: when no distribution of that name declares entry points of ours.
    """
    return [check.result() for check in checks_for(distribution)]


def parametrize_with_checks(
    distribution: str, expected_failures: Mapping[str, str] | None = None
) -> pytest.MarkDecorator:
    """A decorator that runs a pytest function once for each check of a distribution.

    Args:
        distribution: name of an installed distribution.
        expected_failures: by name of the check, the reason why it cannot hold; that it fails is
            then required.

    Raises:
        NotFoundError: when the distribution is not found, or lacks a check expected to fail.

    Example:
        .. code-block:: python

            from mfbpi_core.testing import Check, parametrize_with_checks

            @parametrize_with_checks("mfbpi-agent-mf-bpi")
            def test_conformance(check: Check) -> None:
                check()
    """
    import pytest

    reasons = dict(expected_failures or {})
    checks = checks_for(distribution)
    unknown = sorted(reasons.keys() - {check.name for check in checks})
    if unknown:
        raise NotFoundError(f"expected to fail, but {distribution} has no checks {unknown}")
    parameters = []
    for check in checks:
        marks = []
        if check.name in reasons:
            marks.append(pytest.mark.xfail(strict=True, reason=reasons[check.name]))
        parameters.append(pytest.param(check, id=check.id, marks=marks))
    return pytest.mark.parametrize("check", parameters)


def _distribution_checks(package: Distribution) -> Iterator[Check]:
    for function in plugin_checks.DISTRIBUTION_CHECKS:
        yield Check(
            kind="distribution",
            plugin=package.name,
            name=function.__name__,
            rule=_rule(function),
            origin=package.name,
            run=functools.partial(function, package),
        )


def _check(plugin: Plugin, function: Callable[[Subject], None], subject: Subject) -> Check:
    return Check(
        kind=plugin.kind,
        plugin=plugin.spec.name,
        name=function.__name__,
        rule=_rule(function),
        origin=plugin.origin_shown,
        run=functools.partial(function, subject),
    )


def _rule(function: Callable[..., object]) -> str:
    return (inspect.getdoc(function) or "").splitlines()[0].rstrip(".")


def _distribution(name: str, registry: Registry) -> Distribution:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise NotFoundError(
            _not_found(f"no distribution {name!r} is installed", registry)
        ) from None
    points = tuple(found.entry_points.select(group=hookspecs.PROJECT))
    if not points:
        raise NotFoundError(_not_found(f"{name} has no entry point in group mfbpi", registry))
    return Distribution(
        name=found.name,
        points=points,
        requirements=tuple(found.requires or ()),
        problems=tuple(p for p in registry.problems if _same(p.distribution, name)),
    )


def _not_found(cause: str, registry: Registry) -> str:
    known = {p.distribution for p in registry.plugins} | {p.distribution for p in registry.problems}
    return f"{cause}; distributions with plugins: {', '.join(sorted(known)) or 'none'}"


def _same(one: str, other: str) -> bool:
    """Whether two spellings name one distribution: case, and -, _ and . do not matter."""
    return _normal(one) == _normal(other)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

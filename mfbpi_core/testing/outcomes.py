"""What a check is, and how it ends: passed, failed or skipped."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Literal

import attrs

from mfbpi_core.text import said


class CheckFailure(AssertionError):  # noqa: N818 - a verdict, as CheckSkipped is
    """A plugin breaks a rule; the message names the plugin, its distribution and the rule."""


class CheckSkipped(unittest.SkipTest):
    """A check does not apply, for the reason given; pytest reports it as skipped."""


def require(condition: object, message: str) -> None:
    """Raise :class:`CheckFailure` with ``message`` unless ``condition`` holds."""
    if not condition:
        raise CheckFailure(message)


@attrs.frozen(kw_only=True)
class CheckResult:
    """How one check of one plugin ended.

    Attributes:
        check: name of the check.
        plugin: the plugin checked, such as ``"agent mf_bpi"``, or ``"distribution NAME"``.
        status: ``"passed"``, ``"failed"`` or ``"skipped"``.
        message: why it failed or was skipped, else empty.
    """

    check: str
    plugin: str
    status: Literal["passed", "failed", "skipped"]
    message: str = ""


@attrs.frozen(kw_only=True)
class Check:
    """One rule applied to one plugin; call it to check.

    Attributes:
        kind: kind of the plugin, or ``"distribution"`` for rules about the whole package.
        plugin: name of the plugin or of the distribution.
        name: name of the check.
        rule: what must hold, in one line.
        origin: distribution and version, for messages.
        run: the check itself.
    """

    kind: str
    plugin: str
    name: str
    rule: str
    origin: str
    run: Callable[[], None] = attrs.field(repr=False)

    @property
    def id(self) -> str:
        """``kind-name-check``, the identifier of the test."""
        return f"{self.kind}-{self.plugin}-{self.name}"

    def __call__(self) -> None:
        """Check.

        Raises:
            CheckFailure: the rule is broken, or the plugin raised what it should not.
            CheckSkipped: the rule does not apply.
        """
        try:
            self.run()
        except CheckSkipped:
            raise
        except CheckFailure as failure:
            raise CheckFailure(self._message(str(failure))) from failure
        except (Exception, SystemExit, GeneratorExit) as error:  # the others would end all checks
            raised = f"raised {type(error).__name__}: {said(error)}"
            raise CheckFailure(self._message(raised)) from error

    def result(self) -> CheckResult:
        """Check, and say how it ended instead of raising."""
        subject = f"{self.kind} {self.plugin}"
        try:
            self()
        except CheckSkipped as skipped:
            message = str(skipped)
            return CheckResult(check=self.name, plugin=subject, status="skipped", message=message)
        except CheckFailure as failure:
            message = str(failure)
            return CheckResult(check=self.name, plugin=subject, status="failed", message=message)
        return CheckResult(check=self.name, plugin=subject, status="passed")

    def _message(self, cause: str) -> str:
        origin = self.origin if self.kind == "distribution" else f"{self.plugin} of {self.origin}"
        return f"{self.kind} {origin} breaks {self.name}: {cause} (rule: {self.rule})"

"""The conformance kit: what must hold for every plugin, as checks that anyone can run.

With pytest, in a plugin's own tests::

    from mfbpi_core.testing import Check, parametrize_with_checks

    @parametrize_with_checks("mfbpi-agent-mf-bpi")
    def test_conformance(check: Check) -> None:
        check()

Without it, :func:`run_checks`, which is also the command ``mfbpi check DISTRIBUTION``.
"""

from mfbpi_core.testing.collection import (
    checks_for,
    checks_of,
    parametrize_with_checks,
    run_checks,
)
from mfbpi_core.testing.outcomes import Check, CheckFailure, CheckResult, CheckSkipped

__all__ = [
    "Check",
    "CheckFailure",
    "CheckResult",
    "CheckSkipped",
    "checks_for",
    "checks_of",
    "parametrize_with_checks",
    "run_checks",
]

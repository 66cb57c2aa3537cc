"""The conformance kit on this plugin."""

from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-agent-fw-bpi")
def test_conformance(check: Check) -> None:
    """Every check of the kit."""
    check()

"""The conformance kit on this plugin."""

from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-agent-uniform")
def test_conformance(check: Check) -> None:
    """Every check of the kit."""
    check()

"""The conformance kit on this package."""

from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-experiment-bpi")
def test_conformance(check: Check) -> None:
    """What must hold for every plugin of its kind."""
    check()

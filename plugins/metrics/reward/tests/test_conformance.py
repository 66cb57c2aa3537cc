from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-metric-reward")
def test_conformance(check: Check) -> None:
    """The plugin keeps the contract of its kind."""
    check()

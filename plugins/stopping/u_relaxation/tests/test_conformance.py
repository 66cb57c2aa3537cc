from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-stopping-u-relaxation")
def test_conformance(check: Check) -> None:
    """The rule keeps the contract that all stopping rules share."""
    check()

from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-bound-u-span")
def test_conformance(check: Check) -> None:
    """The bound keeps the contract that all bounds share."""
    check()

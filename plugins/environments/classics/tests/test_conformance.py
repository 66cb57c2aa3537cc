from mfbpi_core.testing import Check, parametrize_with_checks


@parametrize_with_checks("mfbpi-env-classics")
def test_conformance(check: Check) -> None:
    """The plugin keeps every rule of its kind."""
    check()

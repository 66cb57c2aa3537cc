"""Upper bound of Al Marjani & Proutiere, by variances and spans of the optimal value, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import BoundSpec, hookimpl


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(
        name="u0",
        factory="mfbpi_bound_u0.bound:U0",
        config="mfbpi_bound_u0.bound:Config",
        summary="Upper bound of Al Marjani & Proutiere, by variances and spans of V*.",
        reference="Al Marjani & Proutiere 2021",
    )

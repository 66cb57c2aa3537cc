"""Upper bound by one moment of the optimal value, the same k for all pairs, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import BoundSpec, hookimpl


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(
        name="u_k",
        factory="mfbpi_bound_u_k.bound:UK",
        config="mfbpi_bound_u_k.bound:Config",
        summary="Upper bound by one moment of the optimal value, the same k for all pairs.",
        reference="Russo & Proutiere 2023, Theorem 3.2",
    )

"""Upper bound by moments of the optimal value, the best k up to k_max, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import BoundSpec, hookimpl


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(
        name="u",
        factory="mfbpi_bound_u.bound:U",
        config="mfbpi_bound_u.bound:Config",
        summary="Upper bound by moments of the optimal value, the best k up to k_max.",
        reference="Russo & Proutiere 2023, Theorem 3.2",
    )

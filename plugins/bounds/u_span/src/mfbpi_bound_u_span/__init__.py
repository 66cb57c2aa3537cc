"""Bound by the span of the optimal value, for every confusing model and with ties, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import BoundSpec, hookimpl


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(
        name="u_span",
        factory="mfbpi_bound_u_span.bound:USpan",
        config="mfbpi_bound_u_span.bound:Config",
        summary="Bound by the span of V*, for every confusing model; finite with ties.",
        reference="README of mfbpi-bound-u-span, with the proof",
    )

"""Relaxation of u whose generative optimum is a closed form, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import BoundSpec, hookimpl


@hookimpl
def mfbpi_bounds() -> Iterator[BoundSpec]:
    """Yield the bound."""
    yield BoundSpec(
        name="u_tilde",
        factory="mfbpi_bound_u_tilde.bound:UTilde",
        config="mfbpi_bound_u_tilde.bound:Config",
        summary="Relaxation of u whose generative optimum is a closed form.",
        reference="Russo & Proutiere 2023, section 3",
    )

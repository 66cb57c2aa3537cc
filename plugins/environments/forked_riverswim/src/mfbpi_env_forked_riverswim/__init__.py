"""Forked RiverSwim, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="forked_riverswim",
        factory="mfbpi_env_forked_riverswim.environment:ForkedRiverSwim",
        config="mfbpi_env_forked_riverswim.environment:Config",
        summary="Two rivers from one source, of nearly equal reward, with a way across.",
        reference="Russo & Proutiere 2023, appendix",
    )

"""RiverSwim, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="riverswim",
        factory="mfbpi_env_riverswim.environment:RiverSwim",
        config="mfbpi_env_riverswim.environment:Config",
        summary="Swim against the current: a small reward near, a large one far upstream.",
        reference="Strehl & Littman 2008; constants of Russo & Proutiere 2023, appendix",
    )

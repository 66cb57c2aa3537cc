"""DeepSea whose moves sometimes slip, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="slipping_deep_sea",
        factory="mfbpi_env_slipping_deep_sea.environment:SlippingDeepSea",
        config="mfbpi_env_slipping_deep_sea.environment:Config",
        summary="bsuite's DeepSea; now and then the other action is executed.",
        reference="Russo & Proutiere 2023, numerical experiments; Osband et al. 2020 (bsuite)",
    )

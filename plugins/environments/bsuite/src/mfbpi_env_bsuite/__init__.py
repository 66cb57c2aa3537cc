"""Any problem of bsuite, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="bsuite",
        factory="mfbpi_env_bsuite.environment:Bsuite",
        config="mfbpi_env_bsuite.environment:Config",
        summary="Any problem of DeepMind's bsuite by its id, such as bsuite:deep_sea/0.",
        reference="Osband et al. 2020, Behaviour Suite for Reinforcement Learning",
        argument="bsuite_id",
    )

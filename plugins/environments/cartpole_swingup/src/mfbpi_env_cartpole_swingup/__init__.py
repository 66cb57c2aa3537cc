"""Cartpole swing-up with a difficulty level, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="cartpole_swingup",
        factory="mfbpi_env_cartpole_swingup.environment:CartpoleSwingup",
        config="mfbpi_env_cartpole_swingup.environment:Config",
        summary="bsuite's cartpole swing-up: rewarded only upright, slow and near the centre.",
        reference="Russo & Proutiere 2023, numerical experiments; Osband et al. 2020 (bsuite)",
    )

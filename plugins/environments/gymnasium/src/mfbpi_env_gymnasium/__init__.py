"""Any environment of Gymnasium with discrete actions, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="gymnasium",
        factory="mfbpi_env_gymnasium.environment:build",
        config="mfbpi_env_gymnasium.environment:Config",
        summary="Any environment of Gymnasium by its id, such as gymnasium:FrozenLake-v1.",
        reference="Towers et al. 2024, Gymnasium: a standard interface for RL environments",
        argument="environment_id",
        adopts="mfbpi_env_gymnasium.environment:adopt",
    )

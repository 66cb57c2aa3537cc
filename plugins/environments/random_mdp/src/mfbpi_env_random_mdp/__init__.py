"""Random dense MDPs, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="random_mdp",
        factory="mfbpi_env_random_mdp.environment:RandomMDP",
        config="mfbpi_env_random_mdp.environment:Config",
        summary="Random transitions and rewards from Dirichlet laws; every state can follow.",
        reference="Russo & Proutiere 2023, appendix",
    )

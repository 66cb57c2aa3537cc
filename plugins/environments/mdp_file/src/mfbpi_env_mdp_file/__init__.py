"""A Markov decision process in a file, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="mdp_file",
        factory="mfbpi_env_mdp_file.environment:FileEnvironment",
        config="mfbpi_env_mdp_file.environment:Config",
        summary="A model in a file: arrays, transitions, Storm's DRN, Cassandra's grammar.",
        argument="file",
        reads=(".npz", ".csv", ".json", ".parquet", ".drn", ".mdp", ".pomdp"),
        writes="mfbpi_env_mdp_file.environment:write",
    )

"""Garnet, random sparse MDPs, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environment."""
    yield EnvironmentSpec(
        name="garnet",
        factory="mfbpi_env_garnet.environment:Garnet",
        config="mfbpi_env_garnet.environment:Config",
        summary="Random sparse MDP: every pair has a few random successors. Scales to 10^5 states.",
        reference="Archibald, McKinnon & Thomas 1995",
    )

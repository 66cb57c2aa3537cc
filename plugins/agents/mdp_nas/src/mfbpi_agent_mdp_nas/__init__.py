"""MDP-NaS, navigate and stop on the empirical model, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="mdp_nas",
        factory="mfbpi_agent_mdp_nas.agent:MDPNaS",
        config="mfbpi_agent_mdp_nas.agent:Config",
        summary="Follow the optimal allocation of a bound on the empirical model.",
        reference="Al Marjani, Garivier & Proutiere 2021",
        needs={"states"},
    )

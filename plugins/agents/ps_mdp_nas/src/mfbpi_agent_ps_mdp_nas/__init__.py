"""PS-MDP-NaS, navigate and stop on a posterior draw, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="ps_mdp_nas",
        factory="mfbpi_agent_ps_mdp_nas.agent:PSMDPNaS",
        config="mfbpi_agent_ps_mdp_nas.agent:Config",
        summary="Follow the optimal allocation of a bound on a model drawn from the posterior.",
        reference="Russo & Proutiere 2023, section 5",
        needs={"states"},
    )

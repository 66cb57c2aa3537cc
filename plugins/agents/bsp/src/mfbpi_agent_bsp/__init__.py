"""BSP, bootstrapped DQN with randomised priors, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="bsp",
        factory="mfbpi_agent_bsp.agent:BSP",
        config="mfbpi_agent_bsp.config:Config",
        preset="mfbpi_agent_bsp.config:preset",
        replicas="mfbpi_agent_bsp.agent:BSPReplicas",
        summary="Bootstrapped DQN with randomised priors; masks stored with transitions.",
        reference="Osband, Aslanides & Cassirer 2018",
        needs={"arrays"},
    )

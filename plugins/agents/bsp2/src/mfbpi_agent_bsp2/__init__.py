"""BSP2, bootstrapped DQN with masks drawn for each batch, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="bsp2",
        factory="mfbpi_agent_bsp2.agent:BSP2",
        config="mfbpi_agent_bsp2.config:Config",
        preset="mfbpi_agent_bsp2.config:preset",
        replicas="mfbpi_agent_bsp2.agent:BSP2Replicas",
        summary="Bootstrapped DQN with randomised priors; masks drawn for each batch.",
        reference="Russo & Proutiere 2023, section 5",
        needs={"arrays"},
    )

"""IDS, information-directed sampling with deep networks, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import AgentSpec, hookimpl


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    """Yield the agent."""
    yield AgentSpec(
        name="ids",
        factory="mfbpi_agent_ids.agent:IDS",
        config="mfbpi_agent_ids.config:Config",
        preset="mfbpi_agent_ids.config:preset",
        replicas="mfbpi_agent_ids.agent:IDSReplicas",
        summary="Information-directed sampling with a bootstrapped and a quantile network.",
        reference="Nikolov et al. 2019",
        needs={"arrays"},
    )

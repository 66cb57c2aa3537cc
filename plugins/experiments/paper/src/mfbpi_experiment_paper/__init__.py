"""The experiments of Russo & Proutiere (2023) as data, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import ExperimentSpec, hookimpl

#: Module that holds each experiment, and its summary.
_EXPERIMENTS = {
    "instances": ("instances", "Tables of the instances: gaps, spans, variances, moments."),
    "moments": ("instances", "How the moments of V* at the next state grow with their order."),
    "bounds": ("instances", "U0, U and U1 at their own and each other's optimal allocations."),
    "riverswim": ("tabular", "Seven agents on RiverSwim and Forked RiverSwim."),
    "forced": ("tabular", "MF-BPI with a bootstrap against forced exploration alone."),
    "deepsea": ("deep", "Four deep agents on slipping DeepSea, N = 10 to 50."),
    "deepsea_priors": ("deep", "DeepSea again, with priors of one rule for all agents."),
    "cartpole": ("deep", "Four deep agents on Cartpole swing-up, k = 1 to 10."),
}


@hookimpl
def mfbpi_experiments() -> Iterator[ExperimentSpec]:
    """Yield the experiments."""
    for name, (module, summary) in _EXPERIMENTS.items():
        yield ExperimentSpec(
            name=f"paper/{name}",
            factory=f"mfbpi_experiment_paper.{module}:{name}",
            summary=summary,
            reference="Russo & Proutiere 2023",
        )

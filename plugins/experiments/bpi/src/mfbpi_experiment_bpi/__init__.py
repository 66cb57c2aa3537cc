"""Experiments on when the best policy is identified, as data, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import ExperimentSpec, hookimpl

#: Summary of each experiment.
_EXPERIMENTS = {
    "stopping": "When kl_box stops each tabular agent, on nine small instances.",
    "budget": "What each tabular agent recommends at 1, 2, 5 and 100 % of the paper's horizon.",
}


@hookimpl
def mfbpi_experiments() -> Iterator[ExperimentSpec]:
    """Yield the experiments."""
    for name, summary in _EXPERIMENTS.items():
        yield ExperimentSpec(
            name=f"bpi/{name}",
            factory=f"mfbpi_experiment_bpi.{name}:{name}",
            summary=summary,
        )

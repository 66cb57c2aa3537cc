"""Return of the recommended policy, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="greedy_return",
        factory="mfbpi_metric_greedy_return.metric:GreedyReturn",
        config="mfbpi_metric_greedy_return.metric:Config",
        summary="Mean return of episodes that follow the recommendation.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"episodes"}),
        columns=(
            Column(
                name="greedy_return",
                summary="mean undiscounted return of the recommendation",
                label="return of the recommended policy",
            ),
        ),
    )

"""Entropy of the last visit times, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="recent_visit_entropy",
        factory="mfbpi_metric_recent_visit_entropy.metric:RecentVisitEntropy",
        summary="How evenly the cells were visited of late.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"cells"}),
        columns=(
            Column(
                name="recent_visit_entropy",
                low=0.0,
                high=1.0,
                summary="entropy of the last visit times over log(cells)",
                label="entropy of the last visit times, 1: even",
            ),
        ),
    )

"""Entropy of the visit frequencies, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="visit_entropy",
        factory="mfbpi_metric_visit_entropy.metric:VisitEntropy",
        summary="How evenly the cells were visited.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"cells"}),
        columns=(
            Column(
                name="visit_entropy",
                low=0.0,
                high=1.0,
                summary="entropy of the visit frequencies over log(cells)",
                label="entropy of the visits, 1: even",
            ),
        ),
    )

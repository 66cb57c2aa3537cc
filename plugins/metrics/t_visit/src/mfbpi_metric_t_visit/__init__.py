"""Dispersion of the last visit times, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="t_visit",
        factory="mfbpi_metric_t_visit.metric:LastVisitTime",
        summary="Whether some cells were left long ago: spread of the last visit times.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"cells"}),
        columns=(
            Column(
                name="t_visit_std",
                low=0.0,
                high=0.5,
                summary="standard deviation over cells of last visit / steps",
                label="spread of the last visit times",
            ),
        ),
    )

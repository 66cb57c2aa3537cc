"""Visit frequencies, median and dispersion, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="t_avg",
        factory="mfbpi_metric_t_avg.metric:VisitFrequency",
        summary="Share of the steps that cells get: median and spread.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"cells"}),
        columns=(
            Column(
                name="t_avg_median",
                low=0.0,
                high=1.0,
                summary="median over cells of visits / steps",
                label="share of steps, median over cells",
            ),
            Column(
                name="t_avg_std",
                low=0.0,
                high=0.5,
                summary="standard deviation over cells of visits / steps",
                label="share of steps, spread over cells",
            ),
        ),
    )

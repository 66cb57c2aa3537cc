"""Distance of the samples to the optimal allocation of a bound, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric.

    Not measured unless asked for: one solve takes 20 ms with 50 states, but seconds with 1,000.
    """
    yield MetricSpec(
        name="allocation",
        factory="mfbpi_metric_allocation.metric:AllocationDistance",
        config="mfbpi_metric_allocation.metric:Config",
        summary="Distance of allocation and visits to the optimum of a bound; the bound there.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"model", "states"}),
        default=False,
        columns=(
            Column(
                name="allocation_tv",
                low=0.0,
                high=1.0,
                summary="total variation of the agent's allocation to the optimum; 0: optimal",
                label="allocation, distance to the optimum",
            ),
            Column(
                name="allocation_bound",
                low=0.0,
                summary="the bound at the agent's allocation",
                label="bound at the allocation",
            ),
            Column(
                name="visits_tv",
                low=0.0,
                high=1.0,
                summary="total variation of the visit frequencies of (s, a) to the optimum",
                label="visits, distance to the optimal allocation",
            ),
            Column(
                name="visits_bound",
                low=0.0,
                summary="the bound at the visit frequencies; absent while a pair is unvisited",
                label="bound at the visits",
            ),
        ),
    )

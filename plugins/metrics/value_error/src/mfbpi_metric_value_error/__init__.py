"""Exact error of the recommended policy, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="value_error",
        factory="mfbpi_metric_value_error.metric:PolicyValueError",
        summary="Exact loss of the recommended policy, relative to the optimal values.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"model", "policy"}),
        columns=(
            Column(
                name="value_ratio",
                low=0.0,
                high=1.0,
                summary="1 - |V* - V^pi|_inf / |V*|_inf; 1: optimal",
                label=r"$1 - \|V^* - V^\pi\|_\infty \,/\, \|V^*\|_\infty$",
            ),
            Column(
                name="value_error_2",
                low=0.0,
                summary="|V* - V^pi|_2 / |V*|_2; 0: optimal",
                label=r"$\|V^* - V^\pi\|_2 \,/\, \|V^*\|_2$",
            ),
        ),
    )

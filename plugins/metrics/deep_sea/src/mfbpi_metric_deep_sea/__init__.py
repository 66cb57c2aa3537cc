"""Successes and regret in DeepSea, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="deep_sea",
        factory="mfbpi_metric_deep_sea.metric:DeepSea",
        summary="Episodes that reached the large reward, and regret against the exact optimum.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"deep_sea", "cells"}),
        columns=(
            Column(
                name="successes",
                low=0.0,
                summary="episodes so far that were paid the large reward",
                label="successful episodes so far",
            ),
            Column(
                name="regret",
                summary="sum over finished episodes of optimal return - return, undiscounted",
                label="regret, undiscounted",
            ),
        ),
    )

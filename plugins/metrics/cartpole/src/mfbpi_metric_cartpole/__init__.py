"""Upright time and visited states of a cartpole, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric."""
    yield MetricSpec(
        name="cartpole",
        factory="mfbpi_metric_cartpole.metric:Cartpole",
        summary="Steps in which the pole was upright; visits by pairs of variables.",
        reference="Russo & Proutiere 2023, numerical experiments",
        needs=frozenset({"cartpole", "cells"}),
        columns=(
            Column(
                name="upright_time",
                low=0.0,
                summary="upright steps so far, all episodes",
                label="upright steps so far",
            ),
        ),
    )

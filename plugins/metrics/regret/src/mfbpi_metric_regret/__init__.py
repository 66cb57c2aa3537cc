"""Sub-optimality of the actions that were taken, summed over a run, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric.

    Not measured unless asked for: what exploring costs is no aim of identification.
    """
    yield MetricSpec(
        name="regret",
        factory="mfbpi_metric_regret.metric:Regret",
        summary="How sub-optimal the actions taken so far were: the sum of their gaps.",
        reference="Kakade & Langford 2002, Lemma 6.1",
        needs=frozenset({"model", "states"}),
        default=False,
        columns=(
            Column(
                name="regret",
                low=0.0,
                summary="sum over the steps of V*(s) - Q*(s, a); 0: every action was optimal",
                label=r"$\sum_t V^*(s_t) - Q^*(s_t, a_t)$",
            ),
            Column(
                name="regret_mean",
                low=0.0,
                summary="that over the steps; absent at step 0",
                label=r"mean of $V^*(s_t) - Q^*(s_t, a_t)$",
            ),
        ),
    )

"""Sum and mean of the rewards of a run, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import Column, MetricSpec, hookimpl


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    """Yield the metric.

    Not measured unless asked for: what is earned while exploring is no aim of identification.
    """
    yield MetricSpec(
        name="reward",
        factory="mfbpi_metric_reward.metric:Reward",
        summary="What was earned while exploring: sum and mean of the rewards so far.",
        default=False,
        columns=(
            Column(
                name="reward_sum",
                summary="sum of all rewards of the run so far, undiscounted",
                label="sum of the rewards",
            ),
            Column(
                name="reward_mean",
                summary="that over the steps; absent at step 0",
                label="mean reward of a step",
            ),
        ),
    )

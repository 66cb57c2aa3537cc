from collections.abc import Iterator

import pytest
import ray

from mfbpi_core.testing import Check, parametrize_with_checks
from mfbpi_executor_ray import cluster
from mfbpi_executor_ray.config import Config

#: Checks on a cluster that is there; in the others each batch starts its own, and ends it.
TOGETHER = {
    "failing_task_is_reported",
    "killed_worker_is_reported",
    "standard_output_is_left_alone",
    "time_limit_is_kept",
}


@pytest.fixture(scope="module")
def two_cores() -> Iterator[None]:
    """One cluster for several checks: who is connected stays so, and a start takes seconds."""
    with cluster.connected(Config(), 2):
        yield


@parametrize_with_checks("mfbpi-executor-ray")
def test_conformance(check: Check, request: pytest.FixtureRequest) -> None:
    """The plugin keeps the contract of its kind, on its own cluster and on one that is there."""
    together = check.name in TOGETHER
    if together:
        request.getfixturevalue("two_cores")
    assert ray.is_initialized() == together

    check()

    assert ray.is_initialized() == together

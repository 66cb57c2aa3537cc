"""The executor ray on two nodes of which one is lost, with real agents and the real command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage import reading
from mfbpi.results.storage.directory import Store

COMMAND = (
    str(Path(sys.executable).with_name("mfbpi-run")),
    *("--agent", "mf_bpi", "--env", "riverswim", "--seeds", "0:5", "--steps", "200000"),
    *("--eval-every", "1000", "--checkpoint-every", "0.2", "--quiet"),
)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    """A cluster with a head that runs no tasks, and two nodes with a core each."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    others = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    yield cluster, others
    cluster.shutdown()


def rows(directory: Path) -> dict[str, Any]:
    """The rows of each task, but for the time that they took."""
    return {
        path.stem: reading.read(path).content.drop_columns(["elapsed_s"]).to_pylist()
        for path in Store(directory).rows()
    }


def wait_for(condition: Any, seconds: float = 120.0) -> None:
    """Until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_node_lost_in_the_middle(nodes: tuple[Any, Any], tmp_path: Path) -> None:
    """Same table as undisturbed, exit 0; what had reached the driver is not run again."""
    cluster, others = nodes
    out = tmp_path / "x"
    command = [*COMMAND, "--executor", "ray", "-X", f"address={cluster.address}"]
    with subprocess.Popen(
        [*command, "--out", str(out)], stderr=subprocess.PIPE, env=os.environ
    ) as driver:
        wait_for(lambda: len(Store(out).rows()) >= 1 and any((out / "_checkpoints").glob("*.npz")))
        before = {path: path.stat().st_mtime_ns for path in Store(out).rows()}
        cluster.remove_node(others[0], allow_graceful=False)
        _, said = driver.communicate(timeout=300)

    assert driver.returncode == 0, said
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())
    assert len(before) < 5
    subprocess.run([*COMMAND, "--out", str(tmp_path / "whole"), "--jobs", "2"], check=True)
    assert rows(out) == rows(tmp_path / "whole")
    assert not list((out / "_checkpoints").iterdir())
    assert not list(out.rglob(".*.tmp"))

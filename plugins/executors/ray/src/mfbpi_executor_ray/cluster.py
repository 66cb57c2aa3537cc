"""The cluster: one that is there, or one of this machine for as long as it is needed."""

from __future__ import annotations

import logging
import math
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from mfbpi_core.errors import ExecutorError
from mfbpi_executor_ray import versions
from mfbpi_executor_ray.config import Config

#: Parts of Ray have no types.
_ray: Any = ray

#: Seconds in which every node must have said which programs it has.
_PATIENCE_S = 120.0

#: Seconds in which the head of a cluster must answer.
_KNOCK_S = 10.0


@contextmanager
def connected(config: Config, jobs: int | None) -> Iterator[None]:
    """Be connected in this block; who is connected already stays so.

    Raises:
        ExecutorError: when there is no cluster to be had.
    """
    if ray.is_initialized():
        yield
        return
    # The project asks nobody's permission to tell anybody anything.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with _signals_kept():
        try:
            _knock(config.address)
            ray.init(**_options(config, jobs))
        except Exception as error:  # Ray has an exception for each thing that can go wrong
            where = f"the Ray cluster {config.address}" if config.address else "a local Ray cluster"
            raise ExecutorError(f"{where} cannot be used: {_first_line(error)}") from error
    try:
        yield
    finally:
        with _signals_kept():
            ray.shutdown()


def _knock(address: str) -> None:
    """Find out at once that nobody answers; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in address:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_S).close()


def _options(config: Config, jobs: int | None) -> dict[str, Any]:
    common = {
        "log_to_driver": False,
        "configure_logging": False,
        "logging_level": logging.ERROR,
    }
    if config.address:
        return {"address": config.address, **common}
    cores = None if jobs is None else math.ceil(jobs * config.cpus_per_task)
    return {"address": "local", "num_cpus": cores, "include_dashboard": False, **common}


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray takes SIGTERM over, which is the driver's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def living_nodes() -> dict[str, Mapping[str, float]]:
    """The resources of each node that is alive, by its identifier."""
    return {node["NodeID"]: node["Resources"] for node in _ray.nodes() if node["Alive"]}


def slots(config: Config) -> int:
    """How many tasks can run at the same time.

    Raises:
        ExecutorError: when none can.
    """
    found = sum(_slots_of(resources, config) for resources in living_nodes().values())
    if not found:
        asked = f"{config.cpus_per_task:g} cores and {config.gpus_per_task:g} GPUs"
        raise ExecutorError(f"no node of the Ray cluster has the {asked} that each task asks for")
    return found


def _slots_of(resources: Mapping[str, float], config: Config) -> int:
    by_cores = resources.get("CPU", 0.0) / config.cpus_per_task
    if config.gpus_per_task <= 0.0:
        return int(by_cores)
    return int(min(by_cores, resources.get("GPU", 0.0) / config.gpus_per_task))


def check_programs() -> dict[str, str]:
    """The programs of this process, which every node has too.

    Raises:
        ExecutorError: naming a node and what differs there.
    """
    expected = programs_here()
    look = ray.remote(versions.here)
    asked = {
        node: look.options(
            num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)
        ).remote()
        for node in living_nodes()
    }
    for number, (node, answer) in enumerate(asked.items(), start=1):
        where = f"node {number} of {len(asked)} ({node[:8]})"
        try:
            found = ray.get(answer, timeout=_PATIENCE_S)
        except Exception as error:
            raise ExecutorError(
                f"{where} of the Ray cluster cannot run mfbpi: {_first_line(error)}; install the "
                "same packages there as here"
            ) from error
        refuse(where, versions.differences(expected, found))
    return expected


def programs_here() -> dict[str, str]:
    """The programs that the driver has."""
    return versions.here()


def refuse(where: str, differing: list[str]) -> None:
    """Refuse to work with a node that has other programs."""
    if differing:
        raise ExecutorError(
            f"{where} of the Ray cluster has other programs: {versions.listed(differing)}; "
            "install the same there as here"
        )


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__

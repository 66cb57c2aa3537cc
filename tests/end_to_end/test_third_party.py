"""Somebody else's agent: one file, installed beside ours, changing nothing of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

AGENT = '''\
"""Explores at random and recommends the action with the best mean reward."""

import numpy as np
from mfbpi_core import Agent, AgentSpec, hookimpl


class Wanderer(Agent):
    """Knows nothing of the future."""

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)
        self.total = np.zeros((problem.n_states, problem.n_actions))  # sum of r[s, a]
        self.visits = np.zeros((problem.n_states, problem.n_actions))  # N[s, a]

    def select_action(self, observation):
        return int(self.rng.integers(self.problem.n_actions))

    def update(self, transition):
        self.total[transition.observation, transition.action] += transition.reward
        self.visits[transition.observation, transition.action] += 1

    def recommend(self, observation):
        return int(np.argmax(self.total[observation] / np.maximum(self.visits[observation], 1)))


@hookimpl
def mfbpi_agents():
    yield AgentSpec(name="wanderer", factory="wanderer:Wanderer", needs={"states"})
'''

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "somebody-s-wanderer"
version = "0.0.1"
dependencies = ["mfbpi-core>=0.1,<1", "numpy"]

[project.entry-points.mfbpi]
wanderer = "wanderer"

[tool.hatch.build.targets.wheel]
include = ["wanderer.py"]
"""


def install(folder: Path, target: Path) -> None:
    """Install the package into a folder of its own, without a network."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    subprocess.run([*pip, *alone, str(folder)], check=True, capture_output=True, timeout=120)


def test_third_party_agent_runs(
    tmp_path: Path, mfbpi_run: Callable[..., Any], environment: dict[str, str]
) -> None:
    """Under 40 lines, installed from a folder outside the workspace, and run on RiverSwim."""
    folder, target = tmp_path / "somebody", tmp_path / "installed"
    folder.mkdir()
    (folder / "wanderer.py").write_text(AGENT)
    (folder / "pyproject.toml").write_text(PROJECT)
    install(folder, target)
    environment["PYTHONPATH"] = os.pathsep.join([str(target), environment["PYTHONPATH"]])

    ended = mfbpi_run(
        "--agent", "wanderer", "--env", "riverswim", "--steps", 500, "--seeds", "0:2", "--json"
    )

    assert len(AGENT.splitlines()) < 40
    assert ended.returncode == 0, ended.stderr
    summary = {line["metric"]: line for line in json.loads(ended.stdout)["summary"]}
    assert {"value_ratio", "visit_entropy"} <= summary.keys()
    assert summary["value_ratio"]["step"] == 500
    assert summary["value_ratio"]["n"] == 2

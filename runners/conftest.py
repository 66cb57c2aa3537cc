"""Fixtures of library and command: a toy plugin, the command in this process, and instances."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from mfbpi.plan import grid as plan
from mfbpi.plan import selection as choices
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.plugins.registry import Registry
from mfbpi_run import cli

TOY = Path(__file__).parent / "mfbpi" / "tests" / "toy"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Install the toy plugin, for worker processes too, and work in an empty directory."""
    monkeypatch.syspath_prepend(str(TOY))
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(TOY), before])))
    for variable in ("MFBPI_STRICT", "COLUMNS"):  # pytest's workers may set a width
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.fixture
def registry(toy: None) -> Registry:
    """Every plugin, the toys included."""
    return Registry.discover()


@pytest.fixture
def plan_of(registry: Registry) -> Callable[..., plan.TaskPlan]:
    """The plan of the biased agent on the ring, with changes."""

    def make(
        agents: tuple[str, ...] = ("biased",),
        environments: tuple[str, ...] = ("ring",),
        agent_settings: tuple[str, ...] = (),
        environment_settings: tuple[str, ...] = (),
        **settings: Any,
    ) -> plan.TaskPlan:
        return plan.make(
            registry,
            choices.agents(registry, agents, agent_settings),
            choices.environments(registry, environments, environment_settings),
            RunSettings(**{"metrics": ("rate",), **settings}),
        )

    return make


@pytest.fixture
def broken_plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Install a plugin whose module raises when it is imported."""
    folder = tmp_path / "broken"
    info = folder / "mfbpi_broken-2.0.dist-info"
    info.mkdir(parents=True)
    (folder / "mfbpi_broken.py").write_text("raise ImportError('no\\nluck')\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-broken\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nbroken = mfbpi_broken\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def write_mdp(tmp_path: Path) -> Callable[..., Path]:
    """Write an instance with changes, and return the file; an array that is None is left out.

    Unchanged it has two states: action 1 goes to the other state, action 0 stays, and staying in
    state 1 pays 1. At discount 1/2: V = (1, 2), gaps 1/2 in state 0 and 3/2 in state 1.
    """

    def write(**changes: Any) -> Path:
        stay_or_go = [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]
        arrays = {"P": stay_or_go, "R": [[0.0, 0.0], [1.0, 0.0]], **changes}
        file = tmp_path / "instance.npz"
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
        return file

    return write


@pytest.fixture
def twins(write_mdp: Callable[..., Path]) -> Path:
    """An instance whose two actions are the same everywhere."""
    return write_mdp(P=np.full((2, 2, 2), 0.5), R=[[0.0, 0.0], [1.0, 1.0]])


@pytest.fixture
def one_way(write_mdp: Callable[..., Path]) -> Path:
    """An instance that starts in state 1 of three: 0 cannot be reached, 2 not be left."""
    chain = np.eye(3)[[[1, 0], [1, 2], [2, 2]]]
    return write_mdp(P=chain, R=[[0.0, 0.1], [0.2, 0.0], [1.0, 0.5]], initial=[0.0, 1.0, 0.0])


@attrs.frozen
class Ended:
    """A command that has ended: exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON object that it must be."""
        return json.loads(self.out)


@pytest.fixture
def mfbpi(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run ``mfbpi`` with these arguments, in this process."""

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        code = cli.main([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return run


@pytest.fixture
def toy_run(mfbpi: Callable[..., Ended]) -> Callable[..., Ended]:
    """Run the biased agent on the ring, in this process; more arguments may follow."""

    def run(*arguments: object) -> Ended:
        few = ("run", "--agent", "biased", "--env", "ring", "--executor", "inline")
        return mfbpi(*few, *arguments)

    return run


@pytest.fixture
def long_river() -> tuple[str, ...]:
    """Options that name an instance with gaps too small for floating point."""
    return ("--env", "riverswim", "-E", "n_states=600", "--discount", "0.9")

"""The grid that is disturbed, and whether its results are those of an undisturbed one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from mfbpi.results.storage import reading as results
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import ARRAYS, CHECKPOINTS, ERRORS, RUNNING, SET_ASIDE, Store
from mfbpi.results.storage.places import Place

#: Two agents, four seeds, and more evaluations and checkpoints than anyone needs.
COMMAND = (
    str(Path(sys.executable).with_name("mfbpi-run")),
    *("--agent", "mf_bpi", "--agent", "q_learning", "--env", "riverswim", "--seeds", "0:4"),
    *("--steps", "40000", "--eval-every", "200", "--arrays", "--checkpoint-every", "0.02"),
    *("--quiet", "--if-exists", "resume"),
)

N_TASKS = 8

#: Seconds after which a run that nobody disturbs is given up.
PATIENCE_S = 300


#: How the grid is carried out, and the further arguments of each process that does so.
MODES = {
    "process": [["--jobs", "2"]],
    "shards": [["--jobs", "1", "--shard", "0/2"], ["--jobs", "1", "--shard", "1/2"]],
    "ray": [["--jobs", "2", "--executor", "ray"]],
}

#: What must not be said by a run that was only killed.
_BAD_SIGNS = ("Traceback", "is not a result", "starts again", "without being saved")

#: A worker whose driver was killed before it had told the worker what to run: Python says so.
_ORPHAN = re.compile(
    r"Traceback \(most recent call last\):\n"
    r"(?:  File \"[^\"]*(?:<string>|multiprocessing/[a-z]+\.py)\", .*\n(?:    .*\n)*)+"
    r"(?:EOFError|_pickle\.UnpicklingError|BrokenPipeError|ConnectionResetError).*\n"
)


@attrs.frozen(kw_only=True)
class Grid:
    """One grid.

    Attributes:
        directory: where its results are.
        log: a file of this machine for what its processes say.
        mode: how it is carried out, of :data:`MODES`.
        checkpoints: where checkpoints lie, if elsewhere.
        environment: further variables of its processes.
    """

    directory: Place
    log: Path
    mode: str = "process"
    checkpoints: Path | None = None
    environment: dict[str, str] = attrs.field(factory=dict)

    def start(self) -> list[subprocess.Popen[bytes]]:
        """Start or resume it, each driver in its process group; messages go to the log."""
        with self.log.open("ab") as log:
            return [
                subprocess.Popen(
                    [*COMMAND, *more, "--out", str(self.directory), *self._elsewhere],
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env={**os.environ, **self.environment},
                )
                for more in MODES[self.mode]
            ]

    @property
    def _elsewhere(self) -> Sequence[str]:
        return () if self.checkpoints is None else ("--checkpoint-dir", str(self.checkpoints))

    def n_done(self) -> int:
        """How many tasks are done."""
        return len(Store(self.directory).rows())

    def complete(self) -> None:
        """Run what is missing, undisturbed."""
        for driver in self.start():
            code = driver.wait(timeout=PATIENCE_S)
            assert code == 0, self.messages()

    def messages(self) -> str:
        """What its runs have said."""
        return self.log.read_text()

    def folder(self, name: str) -> Path | None:
        """A folder of this machine in which files are written; None where that is another."""
        if name == CHECKPOINTS and self.checkpoints is not None:
            return self.checkpoints / name
        return self.directory / name if isinstance(self.directory, Path) else None

    def check(self, whole: dict[str, list[Any]]) -> None:
        """Fail unless it holds the tables of the undisturbed run, and nothing else."""
        assert self.tables() == whole, f"{self.directory} differs"
        self._check_names()
        for folder in (CHECKPOINTS, ERRORS, SET_ASIDE, RUNNING):
            assert not list((self.directory / folder).glob("*")), f"{folder} is not empty"
        if self.checkpoints is not None:
            assert not list((self.checkpoints / CHECKPOINTS).glob("*"))
        said = _ORPHAN.sub("", self.messages())
        for sign in _BAD_SIGNS:
            assert sign not in said, said

    def _check_names(self) -> None:
        """No temporary file is left."""
        kinds = (".parquet", ".json", ".txt")
        if isinstance(self.directory, Path):
            left = [p.name for p in self.directory.rglob("*") if p.is_file()]
        else:
            left = [each.name for each in self.directory.iterdir() if not each.is_dir()]
            assert not list((self.directory / "_writers").iterdir())
        others = [name for name in left if not name.endswith(kinds)]
        assert all(name.startswith(".lock") for name in others), others

    def tables(self) -> dict[str, list[Any]]:
        """Rows, but for the time that they took, and arrays, by task."""
        store = Store(self.directory)
        assert len(store.rows()) == len(list((self.directory / ARRAYS).iterdir())) == N_TASKS
        return {
            path.stem: [
                results.read(path).content.drop_columns(["elapsed_s"]).to_pylist(),
                results.read(
                    store.path(path.stem, ".arrays.parquet"), table.ARRAYS
                ).content.to_pylist(),
            ]
            for path in store.rows()
        }

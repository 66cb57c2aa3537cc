"""The grid that is disturbed, and whether its results are those of an undisturbed one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from mfbpi.results.storage import reading as results
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import ARRAYS, CHECKPOINTS, ERRORS, RUNNING, SET_ASIDE, Store

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


def start(directory: Path, mode: str = "process") -> list[subprocess.Popen[bytes]]:
    """Start or resume the grid, each driver in its process group; messages go to ``log``."""
    with directory.with_suffix(".log").open("ab") as log:
        return [
            subprocess.Popen(
                [*COMMAND, *more, "--out", str(directory)],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            for more in MODES[mode]
        ]


def complete(directory: Path, mode: str = "process") -> None:
    """Run what is missing, undisturbed."""
    for driver in start(directory, mode):
        code = driver.wait(timeout=PATIENCE_S)
        assert code == 0, messages(directory)


def messages(directory: Path) -> str:
    """What the runs of a directory have said."""
    return directory.with_suffix(".log").read_text()


def check(directory: Path, whole: dict[str, list[Any]]) -> None:
    """Fail unless a directory holds the tables of the undisturbed run, and nothing else."""
    assert tables(directory) == whole, f"{directory} differs"
    kinds = (".parquet", ".json", ".txt")
    left = [p for p in directory.rglob("*") if p.is_file() and p.suffix not in kinds]
    assert all(path.name.startswith(".lock") for path in left), left
    for folder in (CHECKPOINTS, ERRORS, SET_ASIDE, RUNNING):
        assert not list((directory / folder).glob("*")), f"{folder} is not empty"
    said = messages(directory)
    for sign in ("Traceback", "is not a result", "starts again", "without being saved"):
        assert sign not in said, said


def tables(directory: Path) -> dict[str, list[Any]]:
    """Rows, but for the time that they took, and arrays, by task."""
    store = Store(directory)
    assert len(store.rows()) == len(list((directory / ARRAYS).iterdir())) == N_TASKS
    return {
        path.stem: [
            results.read(path).content.drop_columns(["elapsed_s"]).to_pylist(),
            results.read(
                store.path(path.stem, ".arrays.parquet"), table.ARRAYS
            ).content.to_pylist(),
        ]
        for path in store.rows()
    }

"""Whether two checkouts measure the same numbers, bit for bit."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

TABULAR = ("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "psrl", "q_ucb", "q_learning")
DEEP = ("dbmf_bpi", "bsp", "bsp2", "ids")

#: Agents, environments with their parameters, and how long each run is.
GRIDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "riverswim": (TABULAR, ("--env", "riverswim", "--steps", "20000")),
    "riverswim-50": (TABULAR, ("--env", "riverswim", "-E", "n_states=50", "--steps", "6000")),
    "forked": (TABULAR, ("--env", "forked_riverswim", "--steps", "6000")),
    "random": (TABULAR, ("--env", "random_mdp", "--steps", "6000")),
    "garnet": (TABULAR, ("--env", "garnet", "-E", "n_states=30", "--steps", "6000")),
    "deep-sea": (DEEP, ("--env", "slipping_deep_sea", "-E", "size=10", "--episodes", "60")),
    "cartpole": (DEEP, ("--env", "cartpole_swingup", "--steps", "800", "--eval-every", "400")),
    "bsuite": (("bsp2",), ("--env", "bsuite:catch/0", "--episodes", "40")),
}

#: The file of one task's rows, in any layout.
_ROWS = re.compile(r"[0-9a-f]{16}\.parquet")

#: Rows are told apart by these, and compared by their value.
_KEY = ["agent", "seed", "step", "episode", "metric"]


def compare(here: Path, other: Path, names: list[str]) -> int:
    """Run each grid in both checkouts, seeds 0 and 1; 1 if any row differs."""
    differ = False
    for name in names or GRIDS:
        ours, theirs = measured(here, name), measured(other, name)
        found = differences(ours, theirs)
        print(f"{name}: {len(ours)} rows here, {len(theirs)} there, {len(found)} differ")
        if len(found):
            print(found.head(12).to_string())
        differ = differ or bool(len(found))
    return int(differ)


def measured(checkout: Path, name: str) -> pd.DataFrame:
    """The rows of a grid, run by a checkout's own command."""
    agents, rest = GRIDS[name]
    with tempfile.TemporaryDirectory() as folder:
        chosen = [word for agent in agents for word in ("--agent", agent)]
        command = [str(checkout / ".venv/bin/mfbpi-run"), *chosen, *rest, "--seeds", "0:2"]
        subprocess.run([*command, "--out", folder, "--quiet", "--if-exists", "resume"], check=True)
        files = [file for file in Path(folder).rglob("*.parquet") if _ROWS.fullmatch(file.name)]
        return pd.concat([pq.ParquetFile(file).read().to_pandas() for file in sorted(files)])


def differences(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Rows that only one side has, or whose values are not the same number."""
    both = [side.set_index([side[key].astype(object) for key in _KEY]) for side in (ours, theirs)]
    joined = pd.concat([side["value"] for side in both], axis=1, keys=["here", "there"])
    return joined[~(joined["here"] == joined["there"])]

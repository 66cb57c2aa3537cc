"""What the README shows works as it is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()

PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

Command = Callable[..., subprocess.CompletedProcess[str]]


def run(code: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code in a directory."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=directory, capture_output=True, text=True, check=False
    )


def test_results_are_read_as_shown(mfbpi_run: Command, tmp_path: Path) -> None:
    """The default directory, with pandas and pyarrow; collecting first changes nothing."""
    ended = mfbpi_run("--agent", "mf_bpi", "--env", "riverswim", "--steps", 600, "--seeds", "0:2")
    assert ended.returncode == 0, ended.stderr
    (reading,) = (code for code in PYTHON if "read_parquet" in code)
    earlier = tmp_path / "results" / "z"  # last by its name
    earlier.mkdir()
    os.utime(earlier, (0, 0))

    shown = run(reading, tmp_path)
    earlier.rmdir()
    collect = (
        "from mfbpi_run.cli import main; import glob; main(['collect', *glob.glob('results/*')])"
    )
    assert run(collect, tmp_path).returncode == 0
    again = run(reading, tmp_path)

    assert shown.returncode == 0, shown.stderr
    assert again.stdout.splitlines()[:6] == shown.stdout.splitlines()[:6]
    assert re.search(r"mf_bpi\s+riverswim", shown.stdout)
    assert "'numpy':" in shown.stdout


def test_agent_of_the_readme_runs(
    mfbpi_run: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    """The one-file agent, found through an entry point, on RiverSwim."""
    (agent,) = (code for code in PYTHON if "class GreedyQ" in code)
    site = tmp_path / "site"
    metadata = site / "readme_agent-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "my_agent.py").write_text(agent)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: readme-agent\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[mfbpi]\nmy_agent = my_agent\n")
    environment["PYTHONPATH"] += os.pathsep + str(site)

    ended = mfbpi_run("--agent", "greedy_q", "--env", "riverswim", "--steps", 600, "--seeds", "0:2")

    assert ended.returncode == 0, ended.stderr
    assert "greedy_q" in ended.stdout


@pytest.mark.parametrize(
    "code", [code for code in PYTHON if code.startswith("import mfbpi\n")], ids=[1, 2, 3]
)
def test_the_notebook_way_works_as_shown(code: str, tmp_path: Path) -> None:
    """Each block runs on its own, in an empty directory, and says something."""
    shown = run(code, tmp_path)

    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.strip()


def test_the_notebook_way_works_again(tmp_path: Path) -> None:
    """A block that writes results can be run twice, beside the notebook's."""
    (writing,) = (code for code in PYTHON if 'out="results' in code)

    for _ in range(2):
        shown = run(writing, tmp_path)
        assert shown.returncode == 0, shown.stderr
    assert [each.name for each in (tmp_path / "results").iterdir()] == ["two_agents"]
    assert "results/two_agents" not in (Path(__file__).parents[2] / "docs/tour.ipynb").read_text()


def test_new_agent_is_installed_from_where_it_is_written(tmp_path: Path) -> None:
    """The folder of ``pip install -e`` is the one that ``mfbpi new`` has made."""
    section = README.split("## Add an agent")[1]
    (folder,) = re.findall(r"^pip install -e (\S+)", section, re.MULTILINE)
    new = "from mfbpi_run.cli import main; main(['new', 'agent', 'my_agent'])"

    assert run(new, tmp_path).returncode == 0
    assert (tmp_path / folder / "pyproject.toml").is_file()


def test_questions_are_answered_as_shown(environment: dict[str, str], tmp_path: Path) -> None:
    """The commands of their section, one after the other."""
    section = README.split("## Am I done?")[1].split("\n## ")[0]
    (commands,) = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    scripts = Path(sys.executable).parent
    environment["PATH"] = f"{scripts}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "fw_bpi" in done.stdout


def test_class_of_the_readme_runs_without_packaging(mfbpi_run: Command, tmp_path: Path) -> None:
    """By the path of its file."""
    (agent,) = (code for code in PYTHON if "class GreedyQ" in code)
    (tmp_path / "my_agent.py").write_text(agent)

    few = ("--env", "riverswim", "--steps", 600, "--seeds", "0:2")
    ended = mfbpi_run("--agent", "./my_agent.py:GreedyQ", *few)

    assert ended.returncode == 0, ended.stderr
    assert "greedy_q" in ended.stdout

"""Classes in files that import other files of the user's: beside them, or where they say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mfbpi

RIVER: dict[str, Any] = {
    "environments": "riverswim",
    "seeds": [0],
    "metrics": "value_error",
    "steps": 40,
}

AGENT = """
import helper_of_test
from mfbpi_core import Agent

class Same(Agent):
    def select_action(self, s): return helper_of_test.ACTION
    def update(self, t): pass
    def recommend(self, s): return helper_of_test.ACTION
"""

SAYS_WHERE = f"""
import pathlib, sys
sys.path.insert(0, str(pathlib.Path(__file__).parent / "parts"))
{AGENT}
"""


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """In a directory of its own, with nothing of the last test imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("helper_of_test", None)


def written(file: str, text: str) -> Path:
    """A file in the working directory, its folder made."""
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def is_best(**settings: Any) -> bool:
    """Whether what is recommended everywhere is the best there is: action 1 swims up the river."""
    results = mfbpi.run(**{"out": "DIR", **RIVER, **settings})
    return bool(results.to_pandas().query("metric == 'value_ratio'").value.iloc[-1] == 1.0)


@pytest.mark.parametrize("executor", ["serial", "process"])
def test_modules_beside_a_file_and_where_it_says_are_found(executor: str) -> None:
    """Here and in workers, from whatever directory the file is named."""
    written("one/beside.py", AGENT)
    written("one/helper_of_test.py", "ACTION = 1")
    written("two/says.py", SAYS_WHERE)
    written("two/parts/helper_of_test.py", "ACTION = 1")

    assert is_best(agents="one/beside.py:Same", executor=executor)
    sys.modules.pop("helper_of_test")
    assert is_best(agents="./two/says.py:Same", executor=executor, out="OTHER")


@pytest.mark.parametrize(
    ("text", "helper"), [(AGENT, "helper_of_test.py"), (SAYS_WHERE, "parts/helper_of_test.py")]
)
def test_another_helper_is_another_agent(text: str, helper: str) -> None:
    """Also one that lies where only the file itself says; as it was it is the same again."""
    written("mine.py", text)
    written(helper, "ACTION = 1")
    assert is_best(agents="./mine.py:Same", executor="serial")

    written(helper, "ACTION =  0")
    sys.modules.pop("helper_of_test")
    with pytest.raises(mfbpi.UsageError, match=r"plugin is .*mine\.py#\w+:same.* there and"):
        is_best(agents="./mine.py:Same", executor="serial", if_exists="resume")
    assert not is_best(agents="./mine.py:Same", executor="serial", out="OTHER")

    written(helper, "ACTION = 1")
    sys.modules.pop("helper_of_test")
    assert is_best(agents="./mine.py:Same", executor="serial", if_exists="resume")


def test_another_module_of_the_name_is_not_taken_for_that_beside() -> None:
    """A process has one module of a name, and what is installed goes first."""
    for folder, action in (("one", 0), ("two", 1)):
        written(f"{folder}/mine.py", AGENT)
        written(f"{folder}/helper_of_test.py", f"ACTION = {action}")
    assert not is_best(agents="one/mine.py:Same", executor="serial")

    with pytest.raises(
        mfbpi.UsageError,
        match=r"mine\.py imports helper_of_test, which lies in .*two, but .*one.helper_of_test\.py"
        r" is found first; give helper_of_test\.py another name",
    ):
        is_best(agents="two/mine.py:Same", executor="serial", out="OTHER")
    written("three/numpy.py", "")
    written("three/mine.py", "import numpy")
    with pytest.raises(mfbpi.UsageError, match=r"give numpy\.py another name"):
        mfbpi.run("three/mine.py:Same", **RIVER, out="THIRD")


def test_another_module_of_the_name_is_not_taken_where_files_say() -> None:
    """Nor a second time, as if the first had said where."""
    for folder, action in (("one", 0), ("two", 1)):
        written(f"{folder}/mine.py", SAYS_WHERE)
        written(f"{folder}/parts/helper_of_test.py", f"ACTION = {action}")
    assert not is_best(agents="one/mine.py:Same", executor="serial")

    for _ in range(2):
        with pytest.raises(mfbpi.UsageError, match=r"which lies in .*two.parts, but .*one.parts"):
            is_best(agents="two/mine.py:Same", executor="serial", out="OTHER")


def test_what_a_variable_imports_is_part_of_it() -> None:
    """Any text of the source may be its name."""
    text = AGENT.replace("import helper_of_test", "import importlib\nNAME = 'helper_of_test'")
    text += "helper_of_test = importlib.import_module(NAME)\n"
    written("mine.py", text)
    written("helper_of_test.py", "ACTION = 1")
    assert is_best(agents="./mine.py:Same", executor="serial")
    written("helper_of_test.py", "ACTION =  0")
    sys.modules.pop("helper_of_test")

    with pytest.raises(mfbpi.UsageError, match=r"plugin is .*mine\.py#\w+:same.* there and"):
        is_best(agents="./mine.py:Same", executor="serial", if_exists="resume")

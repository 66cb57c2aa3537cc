"""What tells two classes of a session apart: all that decides what they do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.plan import own
from mfbpi_core import Agent

CELL = """
import functools
import numpy as np
from mfbpi_core import Agent

RATE = {rate}
WEIGHTS = np.array([1.0, {weight}])
SETTINGS = dict(depth=[1, {depth}], names={{"a", "b", "c"}})


def helper(x):
    return x + {step}


class Part:
    size = {size}

    def at(self, x):
        return x * {factor}


class Mine(Agent):
    needs = frozenset({{"states", "cells", "model"}})
    table = dict(left={entry})

    def __init__(self, problem, config, rng):
        super().__init__(problem, config, rng)

    def select_action(self, observation, share={default}):
        return helper(RATE * WEIGHTS[0] * len(SETTINGS)) if observation in {{"x", "y"}} else 0

    def update(self, transition, *, share={keyword}):
        Part().at(1)

    def recommend(self, observation):
        return 0
"""

PLAIN: dict[str, Any] = {
    **{"rate": 1, "weight": 2.0, "depth": 2, "step": 1, "size": 3, "factor": 2},
    **{"entry": 1, "default": 0.1, "keyword": 0.2},
}


def named(**changes: object) -> str:
    """The name of the class in a cell with these numbers."""
    cell: dict[str, Any] = {"__name__": "a_notebook"}
    text = CELL.format(**{**PLAIN, **changes})
    exec(compile(text, "cell", "exec", dont_inherit=True), cell)
    return own.named(cell["Mine"])


def test_the_same_cell_is_the_same_class() -> None:
    """Run again, and with another line before it."""
    assert named() == named()


@pytest.mark.parametrize("name", PLAIN)
def test_whatever_a_class_refers_to_tells_it_apart(name: str) -> None:
    """A global, an array, an entry of a dictionary, a helper, another class, a default."""
    assert named(**{name: 7}) != named()


def test_names_are_the_same_in_every_process(printed: Callable[..., set[str]]) -> None:
    """Sets of texts have another order in each."""
    program = (
        f"from mfbpi.plan import own\ncell = {{'__name__': 'a_notebook'}}\n"
        f"exec({CELL.format(**PLAIN)!r}, cell)\nprint(own.named(cell['Mine']))"
    )
    assert printed("-c", program) == {named()}


@pytest.mark.parametrize(
    ("imported", "used"),
    [
        ("from own_helpers.rules import rule", "rule()"),
        ("import own_helpers.rules", "own_helpers.rules.rule()"),
        ("", "__import__('math'); import own_helpers.rules as r; r.rule()"),
        ("from own_helpers.rules import Agent as Base", "1"),
    ],
)
def test_modules_of_the_users_tell_it_apart(
    imported: str, used: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers import them anew: by name, as a module, within a function, by a base class."""
    module = tmp_path / "own_helpers" / "rules.py"
    module.parent.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    source = "import mfbpi_core\nclass Agent(mfbpi_core.Agent): pass\ndef rule():\n    return {}\n"
    base = "Base" if "Base" in imported else "Agent"

    def named_with(value: int) -> str:
        module.write_text(source.format(value))
        for name in ("own_helpers", "own_helpers.rules"):  # as in a new session
            sys.modules.pop(name, None)
        cell: dict[str, Any] = {"__name__": "a_notebook", "Agent": Agent}
        exec(f"{imported}\nclass Mine({base}):\n def update(self, t):\n  {used}", cell)
        return own.named(cell["Mine"])

    try:
        assert named_with(1) == named_with(1) != named_with(2)
    finally:
        for name in ("own_helpers", "own_helpers.rules"):
            sys.modules.pop(name, None)


def test_what_refers_to_itself_ends() -> None:
    """A list in itself, a function and a class that name each other, a class that names itself."""
    cell: dict[str, Any] = {"__name__": "a_notebook", "Agent": Agent}
    exec(
        "loop = []\nloop.append(loop)\n"
        "def one():\n    return two(), loop, Mine\n"
        "def two():\n    return one()\n"
        "class Mine(Agent):\n"
        "    def select_action(self, observation):\n        return one(), __class__\n"
        "    def update(self, transition):\n        Mine.select_action\n"
        "    def recommend(self, observation):\n        return 0\n",
        cell,
    )
    assert own.named(cell["Mine"]) == own.named(cell["Mine"])

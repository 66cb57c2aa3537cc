"""What is given by mistake: empty, endless, or no number at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

RUN = ("run", "--agent", "biased", "--env", "ring")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((*RUN, "--out", ""), "'--out': it is empty; expected a path"),
        (("collect", ""), "it is empty; expected a path"),
        (("bound", "--bound", "u", "--mdp", ""), "'--mdp': it is empty; expected a path"),
        ((*RUN, "--steps", str(2**63)), f"--steps is {2**63}; expected 1 to 2**63 - 1"),
        ((*RUN, "--eval-every", str(10**20)), f"--eval-every is {10**20}; expected 1 to"),
        ((*RUN, "--checkpoint-every", "nan"), "--checkpoint-every is nan; expected a number"),
        ((*RUN, "-E", "n_states=1e999"), "parameter n_states is '1e999'; expected int"),
        ((*RUN, "--seeds", "1_0"), "--seeds '1_0': expected a range"),
    ],
)
def test_mistakes_are_bad_usage(mfbpi: Command, arguments: tuple[str, ...], says: str) -> None:
    """One line that names the option; nothing is run, and nothing written."""
    ended = mfbpi(*arguments)

    assert ended.code == 2
    assert says in ended.err
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"seeds": {"biased on ring": "0:5:9"}}', '{"agents": []}', "\x00", "3"],
)
def test_odd_manifest_is_named(toy_run: Command, mfbpi: Command, content: str) -> None:
    """Whatever is in it: the file is named, and no option is blamed for it."""
    toy_run("--out", "x")
    Path("x/_run.json").write_text(content)
    ended = toy_run("--out", "x", "--if-exists", "resume")

    assert ended.code == 2
    assert ended.err.startswith("error: x/_run.json ")
    assert mfbpi("collect", "x", "--out", "x.csv").code == 0

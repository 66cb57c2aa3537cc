"""Sweeps in TOML: what a file means, and what it may not say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.plan import sweep_file as toml
from mfbpi_core.contracts.experiment import Choice, RunGrid
from mfbpi_core.errors import UsageError

AGENT = '[[agent]]\nname = "biased"\n'
RING = '[[environment]]\nname = "ring"\n'


def load(text: str) -> Any:
    """The experiment of a file with this text."""
    file = Path("sweep.toml")
    file.write_text(text, encoding="utf-8")
    return toml.load(file)


def test_everything_that_a_file_can_say() -> None:
    """Settings of the grid, parameters, lists of values, and labels."""
    experiment = load(
        """
        summary = "Größer?"
        seeds = "0:3"
        steps = 50_000
        episodes = 7
        eval_every = 100
        discount = 0.9
        metrics = ["rate"]
        metric_settings = ["k=1"]
        arrays = true

        [[agent]]
        name = "biased"
        bias = [0.25, 0.75]

        [[agent]]
        name = "biased"
        label = "always"
        bias = 1.0

        [[environment]]
        name = "ring"
        n_states = [5, 10]
        """
    )

    assert experiment.summary == "Größer?"
    assert experiment.runs == RunGrid(
        agents=(Choice("biased", bias=(0.25, 0.75)), Choice("biased", label="always", bias=1.0)),
        environments=(Choice("ring", n_states=(5, 10)),),
        seeds="0:3",
        steps=50_000,
        episodes=7,
        eval_every=100,
        discount=0.9,
        metrics=("rate",),
        metric_settings=("k=1",),
        arrays=True,
    )


def test_what_is_not_said_follows_the_protocol() -> None:
    """The environment's own settings; the summary is the name of the file."""
    experiment = load(AGENT + RING)

    assert experiment.summary == "sweep"
    assert experiment.runs == RunGrid(agents=(Choice("biased"),), environments=(Choice("ring"),))


def test_example_of_the_readme(mfbpi: Callable[..., Any]) -> None:
    """It can be carried out as it stands."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (example,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    Path("sweep.toml").write_text(example)
    planned = mfbpi("sweep", "sweep.toml", "--dry-run", "--json").json

    assert {each["agent"] for each in planned["tasks"]} == {
        "mf_bpi(ensemble_size=10)",
        "mf_bpi(ensemble_size=50)",
        "forced",
    }


@pytest.mark.parametrize(
    ("text", "seeds"), [("seeds = 3", "3"), ("seeds = [0, 2]", "0,2"), ('seeds = "1:4"', "1:4")]
)
def test_seeds_as_number_list_or_range(text: str, seeds: str) -> None:
    """Whatever is natural in TOML."""
    assert load(f"{text}\n{AGENT}{RING}").runs.seeds == seeds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected at least one \[\[agent\]\] table with a name"),
        (RING, r"expected at least one \[\[agent\]\] table"),
        (AGENT, r"expected at least one \[\[environment\]\] table"),
        ('[agent]\nname = "x"\n' + RING, r"expected at least one \[\[agent\]\] table"),
        ("agent = 3\n" + RING, r"expected at least one \[\[agent\]\] table"),
        ("agent = [3]\n" + RING, r"each \[\[agent\]\] needs a name; got 3"),
        ("[[agent]]\nbias = 1.0\n" + RING, r"needs a name; got \{'bias': 1.0\}"),
        ("[[agent]]\nname = 3\n" + RING, r"needs a name; got \{'name': 3\}"),
        (AGENT + "label = 3\n" + RING, r"label of agent biased is 3; expected a text"),
        (AGENT + "replicate = 'bias'\n" + RING, r"agent biased has no parameter 'replicate'"),
        ("stpes = 5", r"unknown key 'stpes'; did you mean steps\? keys are: summary, seeds, steps"),
        ("steps = 1.5", r"steps is 1.5; expected a whole number of 1 or more"),
        ("steps = true", r"steps is True; expected a whole number"),
        ("steps = 0", r"steps is 0; expected a whole number of 1 or more"),
        ("eval_every = -1", r"eval_every is -1; expected a whole number of 1 or more"),
        ("seeds = 1.5", r"seeds is 1.5; expected a text such as '0:10'"),
        ('discount = "x"', r"discount is 'x'; expected a number between 0 and 1"),
        ('metrics = "rate"', r"metrics is 'rate'; expected a list of names"),
        ("arrays = 1", r"arrays is 1; expected true or false"),
        ("summary = 1", r"summary is 1; expected a text"),
        ("steps =", r"sweep.toml is not TOML: Invalid value"),
    ],
)
def test_bad_file_is_explained(text: str, message: str) -> None:
    """The file, the key, what was given and what was expected."""
    with pytest.raises(UsageError, match=message) as raised:
        load(text)

    assert "sweep.toml" in str(raised.value)


def test_byte_order_mark_is_no_content() -> None:
    """Editors on some systems begin a file with one; it means nothing."""
    marked = load(f"\ufeffsteps = 7\n{AGENT}{RING}")

    assert marked == load(f"steps = 7\n{AGENT}{RING}")


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Absent, a directory, or not a text."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")

    for name, message in (
        ("nowhere.toml", "cannot read .*nowhere.toml: No such file"),
        ("", "cannot read .*: Is a directory"),
        ("binary.toml", "binary.toml is not TOML"),
    ):
        with pytest.raises(UsageError, match=message):
            toml.load(tmp_path / name)


def run(mfbpi: Callable[..., Any], text: str) -> Any:
    """The plan of a file with this text."""
    Path("sweep.toml").write_text(text)
    return mfbpi("sweep", "sweep.toml", "--dry-run", "--executor", "inline")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AGENT + "bais = 1.0\n" + RING, "biased(bais=1.0): unknown parameter 'bais'; did you mean"),
        (AGENT + "bias = 2.0\n" + RING, "biased(bias=2.0): parameter bias is 2.0; expected float"),
        (AGENT + 'bias = "x"\n' + RING, "biased(bias=x): parameter bias is 'x'; expected float"),
        (AGENT + "bias = [0.5, 2.0]\n" + RING, "agent biased(bias=2.0): parameter bias is 2.0"),
        (AGENT + "bias = []\n" + RING, "biased: bias has no values; expected one or more"),
        (AGENT + "bias = [0.5, 0.5]\n" + RING, "agent biased(bias=0.5) is given twice"),
        (AGENT + AGENT + RING, "biased is given twice; expected each name once; tell them apart"),
        ('[[agent]]\nname = "biasd"\n' + RING, "no agent is called 'biasd'; did you mean biased?"),
        (AGENT + '[[environment]]\nname = "rinng"\n', "no environment is called 'rinng'"),
        ('seeds = "5:5"\n' + AGENT + RING, "--seeds '5:5': 5:5 is empty"),
        ('metrics = ["rte"]\n' + AGENT + RING, "no metric is called 'rte'; did you mean rate?"),
        ("discount = 1.5\n" + AGENT + RING, "discount is 1.5; expected a number between 0 and 1"),
    ],
)
def test_what_does_not_exist_is_explained(
    mfbpi: Callable[..., Any], text: str, message: str
) -> None:
    """Plugins and parameters are looked up as on the command line; exit code 2."""
    ended = run(mfbpi, text)

    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not Path("results").exists()

"""The arithmetic of the README, run as it stands there and compared with the plugin."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mfbpi_bound_u0.bound import U0, Config
from mfbpi_core.data.mdp import TabularMDP

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def worked() -> dict[str, Any]:
    """The variables after the code blocks of the README."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL):
        exec(block, names)
    return names


def row(quantity: str) -> list[float]:
    """The numbers of the row of a table, powers of ten included."""
    (line,) = [t for t in README.read_text().splitlines() if t.startswith(f"| {quantity} |")]
    cells = line.split("|", 2)[2]
    return [float(text) for text in re.findall(r"\d+\.?\d*(?:e\d+)?", cells)]


@pytest.mark.parametrize(
    ("quantity", "variable"),
    [("`V`", "V"), ("`D`", "D"), ("`x`", "x"), ("`2/x^2`", None), ("`m` of right", "m")],
)
def test_numbers_of_the_tables(worked: dict[str, Any], quantity: str, variable: str | None) -> None:
    """What is written is what the lines of code give, to seven digits."""
    expected = 2.0 / worked["x"] ** 2 if variable is None else worked[variable]

    assert row(quantity) == pytest.approx(np.ravel(expected).tolist(), rel=5e-7)


def test_numbers_of_u0(worked: dict[str, Any]) -> None:
    """Each term of the bound, and its value."""
    h0, star = worked["H0"], worked["H0_star"]
    var, x = worked["var"].max(), worked["x"]

    assert row("`H0` of left") == pytest.approx([*h0, h0.sum()], rel=5e-7)
    assert row("`Var*` and `MD*`") == pytest.approx([var, worked["MD_right"].max()], rel=5e-7)
    assert row("`27/(x^2 (1-g))`") == pytest.approx([27 / (x**2 * 0.05)], rel=5e-7)
    assert row("`H0*`") == pytest.approx([2 / x**2, 16 * var / x**2, star], rel=5e-7)
    assert row("**`U0`**")[-1] == pytest.approx(worked["U0"], rel=5e-7)


def test_numbers_of_u(worked: dict[str, Any]) -> None:
    """The constants of the other bound, and its value."""
    c = worked["C"]

    assert row("`C`") == pytest.approx([*c, c.sum()], rel=5e-7)
    assert row("`sum c`")[-1] == pytest.approx(worked["c"].sum(), rel=5e-7)
    assert row("**`U`**")[0] == pytest.approx(worked["U"], rel=5e-7)
    assert worked["U"] / worked["U0"] == pytest.approx(10.5, abs=0.05)


def test_numbers_of_the_published_code(worked: dict[str, Any]) -> None:
    """With the powers misread, the value is above that of the other bound."""
    right = [worked["U0"], worked["U0_misread"], worked["U0_published"]]

    stars = [worked["H0_star"], worked["misread"], worked["published"]]

    assert row("sum of `H0`")[0] == pytest.approx(worked["H0"].sum(), rel=5e-7)
    assert row("sum of `H0`")[1] == pytest.approx(worked["H0_misread"].sum(), rel=5e-7)
    assert row("last term of `H0*`")[0] == pytest.approx(worked["rate"], rel=5e-7)
    assert row("last term of `H0*`")[1] == pytest.approx(6 * worked["ratio"], rel=5e-7)
    assert row("`H0*` in all") == pytest.approx(stars, rel=5e-7)
    assert row("`U0`") == pytest.approx(right, rel=5e-7)
    assert row("`U / U0`") == pytest.approx([worked["U"] / value for value in right], rel=0.04)
    assert worked["U0"] < worked["U"] < worked["U0_misread"] < worked["U0_published"]


def test_the_plugin_agrees(worked: dict[str, Any]) -> None:
    """The certified optimum of the same instance is that of the closed form."""
    transitions = np.stack([worked["left"], worked["right"]], axis=1)
    rewards = np.zeros((5, 2))
    rewards[0, 0], rewards[-1, 1] = 0.05, 1.0
    mdp = TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli")

    assert U0(0.95, Config()).solve(mdp).value == pytest.approx(worked["U0"], rel=1e-12)

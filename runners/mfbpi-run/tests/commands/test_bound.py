"""``mfbpi bound``: values, allocations, and what cannot be bounded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mfbpi.instances import heat_map
from mfbpi_core.contracts.bound import BoundSolution
from mfbpi_run.commands.instances import bound as command

Command = Callable[..., Any]

RIVER = ("--env", "riverswim", "--discount", "0.95")

#: Exact optima of RiverSwim with 5 states at discount 0.95.
GENERATIVE = {"u0": 2.787802e6, "u": 2.938793e7, "u_k": 1.064489e7}
NAVIGATION = 3.192226e7

#: The simplest allocation of two actions in five states that a walk follows: left for ever.
LEFT = [[1.0, 0.0], *[[0.0, 0.0]] * 4]


@pytest.mark.parametrize("name", GENERATIVE)
def test_generative_value(mfbpi: Command, name: str) -> None:
    """The known optimum, at a distribution over the pairs."""
    solved = mfbpi("bound", "--bound", name, *RIVER, "--json").json

    assert solved["value"] == pytest.approx(GENERATIVE[name], rel=1e-6)
    allocation = np.array(solved["allocation"])
    assert allocation.shape == (5, 2)
    assert allocation.min() >= 0.0
    assert allocation.sum() == pytest.approx(1.0)


def test_json_of_a_certified_solution(mfbpi: Command) -> None:
    """Exactly these keys, with a certificate."""
    solved = mfbpi("bound", "--bound", "u", *RIVER, "--constraint", "navigation", "--json").json

    assert list(solved) == [
        *("bound", "origin", "value", "allocation", "status", "relative_gap", "residual", "solver"),
        *("reason", "details", "diagnosis"),
    ]
    assert solved["value"] == pytest.approx(NAVIGATION, rel=1e-6)
    assert 0.0 <= solved["relative_gap"] <= 1e-9
    assert solved["residual"] <= 1e-12
    assert (solved["bound"], solved["status"], solved["reason"]) == ("u", "optimal", "")
    assert solved["diagnosis"] == []


def test_text_for_people(mfbpi: Command) -> None:
    """The allocation per state, the value with its certificate, and what was asked."""
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--constraint", "navigation")

    assert (ended.code, ended.err) == (0, "")
    for text in ("state", "a=0", "a=1", "value 3.192226e+07 (optimal)", "certified relative gap"):
        assert text in ended.out
    assert ended.out.splitlines()[-1].startswith("u on riverswim, discount 0.95, navigation;")


def test_long_allocations_are_not_printed(mfbpi: Command) -> None:
    """More states than fit on a page: the value alone."""
    ended = mfbpi("bound", "--bound", "u", *RIVER, "-E", "n_states=31")

    assert "a=0" not in ended.out
    assert "value " in ended.out


def test_parameters_of_the_bound(mfbpi: Command) -> None:
    """-B sets them, with or without the name; k = 1 of u_k is u with k_max = 1."""
    one = mfbpi("bound", "--bound", "u", *RIVER, "-B", "k_max=1", "--json").json
    other = mfbpi("bound", "--bound", "u_k", *RIVER, "-B", "u_k.k=1", "--json").json

    assert one["value"] == pytest.approx(other["value"])


def test_conic_method_agrees(mfbpi: Command) -> None:
    """The second method, within a percent; nothing certifies it."""
    solved = mfbpi("bound", "--bound", "u", *RIVER, "--method", "conic", "--json").json

    assert solved["value"] == pytest.approx(GENERATIVE["u"], rel=1e-2)
    assert solved["relative_gap"] is None


def test_ties_are_infinite(mfbpi: Command, twins: Path) -> None:
    """The optimal policy is not unique: infinite, with the pairs, wherever it is evaluated."""
    ended = mfbpi("bound", "--bound", "u", "--mdp", twins, "--json")

    assert ended.code == 0
    assert (ended.json["value"], ended.json["allocation"]) == ("inf", None)
    assert "optimal policy not unique: tied pairs (s=0, a=" in ended.json["reason"]
    assert sorted(s for s, _ in ended.json["details"]["ties"]) == [0, 1]
    uniform = mfbpi("bound", "--bound", "u", "--mdp", twins, "--allocation", "uniform", "--json")
    assert uniform.json["reason"] == ended.json["reason"]
    shown = mfbpi("bound", "--bound", "u", "--mdp", twins).out
    assert shown.startswith("infinite: optimal policy not unique")


def test_obstacles_are_diagnosed_before_solving(mfbpi: Command, one_way: Path) -> None:
    """What a walk cannot do is said on standard error and in the JSON, and why it is infinite."""
    few = ("bound", "--bound", "u", "--mdp", one_way, "--json")
    ended = mfbpi(*few, "--constraint", "navigation")

    assert ended.json["value"] == "inf"
    assert "a walk leaves states {0, 1} for good" in ended.json["reason"]
    for message in ("no walk from the start visits state 0", "not communicating"):
        assert f"warning: {message}" in ended.err
        assert any(message in said for said in ended.json["diagnosis"])
    assert isinstance(mfbpi(*few).json["value"], float)


def test_closed_classes_are_named(mfbpi: Command, write_mdp: Callable[..., Path]) -> None:
    """With two absorbing states no walk samples both."""
    absorbing = np.eye(3)[[[1, 2], [1, 1], [2, 2]]]
    file = write_mdp(P=absorbing, R=[[0.0, 0.0], [1.0, 0.5], [0.3, 0.1]])
    ended = mfbpi("bound", "--bound", "u", "--mdp", file, "--constraint", "navigation", "--json")

    assert "2 closed classes of states: {1}; {2}" in ended.json["reason"]
    assert "2 sets of states cannot be left: state 1; state 2" in ended.err


@pytest.mark.parametrize(
    ("length", "discount", "value"),
    [(20, 0.999, 9.80926732504794e27), (22, 0.99, 1.08781142758797e29)],
)
def test_small_gaps_have_their_digits(
    mfbpi: Command, length: int, discount: float, value: float
) -> None:
    """Right values from planning with 320 bits; gaps of 1e-9 from float64 are off by 5e-5."""
    setting = ("--env", "forked_riverswim", "-E", f"length={length}", "--discount", discount)
    solved = mfbpi("bound", "--bound", "u", *setting, "--json").json

    assert solved["value"] == pytest.approx(value, rel=1e-12)
    assert solved["status"] == "optimal"
    assert 0.0 < solved["relative_gap"] < 1e-12
    assert solved["details"]["planning_error"] <= solved["relative_gap"]


@pytest.mark.parametrize("json_option", [(), ("--json",)])
def test_unresolved_gaps_are_an_error(
    mfbpi: Command, long_river: tuple[str, ...], json_option: tuple[str, ...]
) -> None:
    """Neither garbage nor a tie: what double precision can tell, exit code 1, no traceback."""
    ended = mfbpi("bound", "--bound", "u", *long_river, *json_option)

    assert (ended.code, ended.out) == (1, "")
    assert "what double precision can tell from zero here" in ended.err
    assert "expected larger gaps" in ended.err
    assert "Traceback" not in ended.err


def test_plot_is_a_png(mfbpi: Command, tmp_path: Path) -> None:
    """A heat map, beside the usual output."""
    file = tmp_path / "map.png"
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--plot", file, "--json")

    assert ended.json["status"] == "optimal"
    assert ended.err == f"plot: {file}\n"
    assert file.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


@pytest.mark.parametrize("weights", [LEFT, [[0.5, 0.5]], [[1e-9, 1.0 - 1e-9], [0.0, 0.0]]])
def test_every_allocation_can_be_plotted(tmp_path: Path, weights: list[list[float]]) -> None:
    """With zeros, with equal weights, and over many orders of magnitude."""
    file = tmp_path / "map.png"
    heat_map.write(np.array(weights), file, "title")

    assert file.read_bytes().startswith(b"\x89PNG")


def test_nothing_to_plot(mfbpi: Command, twins: Path) -> None:
    """An infinite bound has no allocation; the answer is given all the same."""
    ended = mfbpi("bound", "--bound", "u", "--mdp", twins, "--plot", "map.png")

    assert ended.code == 0
    assert "infinite: " in ended.out
    assert "warning: nothing to plot, map.png is not written" in ended.err
    assert not Path("map.png").exists()


def test_plot_needs_matplotlib(mfbpi: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an optional dependency; the message says how to get it."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    ended = mfbpi("bound", "--bound", "u", *RIVER, "--plot", "map.png")

    assert ended.code == 2
    assert "--plot needs matplotlib: pip install matplotlib" in ended.err


def test_inaccurate_solutions_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A status that is less than optimal is shown with its reason, never passed off."""
    solution = BoundSolution(
        value=3.0,
        allocation=np.array([[1.0]]),
        status="optimal_inaccurate",
        relative_gap=np.nan,
        residual=0.0,
        solver="some solver",
        reason="it gave up",
    )
    command._show(solution, "u on it")

    out = capsys.readouterr().out
    assert "value 3.000000e+00 (optimal_inaccurate)" in out
    assert "it gave up" in out
    assert "certified" not in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bound", "w"), "no bound is called 'w'"),
        (("--bound", "u", "-B", "kmax=3"), "did you mean k_max? parameters are: epsilon, k_max"),
        (("--bound", "u", "-B", "k_max=0"), "bound u: parameter k_max is 0; expected int >= 1"),
        (("--bound", "u", "-B", "u_k.k=1"), "-B u_k.k=1: 'u_k' is not in this run; it has: u"),
        (("--bound", "u", "-B", "k_max"), "-B 'k_max': expected KEY=VALUE"),
        (("--bound", "u", "--method", "magic"), "method is 'magic'; expected one of exact | conic"),
        (
            ("--bound", "u", "--method", "conic", "-B", "solver=NONE"),
            "solver 'NONE' is not installed; installed: CLARABEL",
        ),
        (("--bound", "u", "--constraint", "none"), "'none' is not one of"),
        (("--bound", "u", "--allocation", "best"), "--allocation takes optimal, uniform or a file"),
        (("--bound", "u", "--allocation", "nowhere.npz"), "there is no file nowhere.npz"),
        (("--bound", "u", "--plot", "nowhere/map.png"), "cannot write the plot nowhere/map.png"),
        ((), "Missing option '--bound'"),
    ],
)
def test_bad_options_are_explained(mfbpi: Command, options: tuple[str, ...], message: str) -> None:
    """What was given, what was expected; exit code 2, no traceback."""
    ended = mfbpi("bound", *options, *RIVER)

    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err

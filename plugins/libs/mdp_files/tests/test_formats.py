"""What each format says, by hand, and what is said of wrong files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import formats
from mfbpi_lib_mdp_files.named import Named
from mfbpi_lib_tabular.solution import planning

MAZE = """s,a,s',p,r,terminated
hall,left,hall,1,0,
hall,right,cellar,0.9,0,
hall,right,hall,0.1,0,
cellar,left,hall,1,0.1,
cellar,right,out,1,1,true
"""

DRN = """@type: MDP
@parameters

@reward_models
gain
@nr_states
2
@nr_choices
3
@model
state 0 [0.25] init
	action stay [0.5]
		0 : 1
	action go [0]
		0 : 1/10
		1 : 0.9
state 1 [0] goal
	action stay [0]
		1 : 1
"""

TIGER = """# the tiger behind one of two doors, as an MDP whose states are seen
discount: 0.75
values: reward
states: tiger-left tiger-right
actions: listen open-left open-right
observations: 2
start: uniform
T:listen
identity
T:open-left
uniform
T:open-right
uniform
O:listen
0.85 0.15
0.15 0.85
O:open-left
uniform
R:listen : * : * : * -1
R:open-left : tiger-left : * : * -100
R:open-left : tiger-right : * : * 10
R:open-right : tiger-left : * : * 10
R:open-right : tiger-right
-100 -100
-100 -100
"""

PLAIN = """discount: 0.5
states: 2
actions: 1
T: 0 identity
R: 0 : 1 : 1 : * 4
"""


def read(folder: Path, name: str, text: str) -> Named:
    """The model in a text."""
    (folder / name).write_text(text)
    return formats.read(folder / name)


def test_a_table_of_transitions(tmp_path: Path) -> None:
    """Names in the order of their use; out is terminal; V*(cellar) = 1, hall a step before it."""
    model = read(tmp_path, "maze.csv", MAZE)
    assert model.states == ("hall", "cellar", "out")
    assert model.actions == ("left", "right")
    assert model.mdp.terminal.tolist() == [False, False, True]
    values = planning.solve(model.mdp, 0.5).values
    assert values == pytest.approx([0.45 / 0.95, 1.0, 0.0])


def test_numbers_are_states_too(tmp_path: Path) -> None:
    """States 0 to the largest, in that order, whatever comes first in the file."""
    model = read(tmp_path, "n.csv", "s,a,s',p,r\n1,0,0,1,0.5\n0,0,1,1,0\n")
    assert model.states == ("0", "1")
    assert model.mdp.mean_rewards[:, 0].tolist() == [0.0, 0.5]


def test_a_state_that_is_passed_and_an_end_has_a_twin(tmp_path: Path) -> None:
    """Its end is a state behind the others."""
    text = "s,a,s',p,r,terminated\nx,go,y,1,0,false\ny,go,y,0.5,1,true\ny,go,x,0.5,0,\n"
    model = read(tmp_path, "twin.csv", text)
    assert model.states == ("x", "y", "y#end")
    assert model.mdp.terminal.tolist() == [False, False, True]


@pytest.mark.parametrize(("back", "value"), [("0", 0.0), ("1", 10.0)])
def test_a_state_with_rows_of_its_own_acts(tmp_path: Path, back: str, value: float) -> None:
    """Who is put there is paid for ever, V(b) = 1 / (1 - 0.9); who ends there has V(a) = 0.5 + 0.

    Rows that stay and pay nothing are those of an end.
    """
    head = '# mfbpi: {"discount": 0.9}\n'
    text = f"s,a,s',p,r,terminated\na,go,b,1,0.5,true\nb,go,b,1,{back},\n"
    model = read(tmp_path, "own.csv", head + text)
    ends = ("b#end",) if value else ()

    assert model.states == ("a", "b", *ends)
    assert model.mdp.terminal.tolist() == [False, not ends, *(True for _ in ends)]
    assert planning.solve(model.mdp, 0.9).values[:2] == pytest.approx([0.5, value])
    formats.write(model, tmp_path / "again.csv")
    assert formats.read(tmp_path / "again.csv").states == model.states


def test_drn(tmp_path: Path) -> None:
    """Rewards of state and action add up; a lone, free loop is an end."""
    model = read(tmp_path, "m.drn", DRN)
    assert model.actions == ("stay", "go")
    assert model.mdp.terminal.tolist() == [False, True]
    assert model.mdp.mean_rewards[0].tolist() == [0.75, 0.25]
    assert model.mdp.transitions[0, 1].tolist() == [0.1, 0.9]


def test_rewards_of_drn_need_no_space(tmp_path: Path) -> None:
    """They are read, not taken for a part of the action's name."""
    model = read(tmp_path, "m.drn", DRN.replace("stay [0.5]", "stay[0.5]"))
    assert model.actions == ("stay", "go")
    assert model.mdp.mean_rewards[0].tolist() == [0.75, 0.25]


def test_the_tiger(tmp_path: Path) -> None:
    """With the state seen, the right door is opened at once: V* = 10 / (1 - 0.75)."""
    model = read(tmp_path, "tiger.POMDP", TIGER)
    assert (model.discount, model.states) == (0.75, ("tiger-left", "tiger-right"))
    assert model.mdp.reward_range == (-100.0, 10.0)
    found = planning.solve(model.mdp, 0.75)
    assert found.values == pytest.approx([40.0, 40.0])
    assert found.policy.tolist() == [2, 1]


@pytest.mark.parametrize("observation", [" : *", ""])
def test_any_observation_where_there_are_none(tmp_path: Path, observation: str) -> None:
    """Its place may be there, as in the grammar of POMDPs, or not: V(1) = 4 / (1 - 0.5)."""
    model = read(tmp_path, "plain.mdp", PLAIN.replace(" : * 4", f"{observation} 4"))
    assert planning.solve(model.mdp, 0.5).values == pytest.approx([0.0, 8.0])


def test_costs_and_shorthands(tmp_path: Path) -> None:
    """Costs are negative rewards; rows, matrices, numbers of states, later lines first."""
    text = """discount: 0.9
values: cost
states: 2
actions: 1
start include: 1
T: 0
0.5 0.5
0.5 0.5
T: * : 1
1 0
R: * : * : * 3
R: 0 : 1 : 0 4
"""
    model = read(tmp_path, "m.mdp", text)
    assert model.mdp.initial.tolist() == [0.0, 1.0]
    assert model.mdp.transitions[:, 0].tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert model.mdp.mean_rewards[:, 0].tolist() == [-3.0, -4.0]


WRONG = [
    ("m.csv", MAZE.replace("0.9", "1.9"), "m.csv, line 3: state hall, action right: p is 1.9"),
    ("m.csv", MAZE.replace("0.9", "0.8"), "state hall, action right sum to 0.9"),
    ("m.csv", MAZE.replace(",1,0.1,", ",1,nan,"), "line 5: state cellar, action left: r is 'nan'"),
    (
        "m.csv",
        MAZE.replace("hall,left,hall,1,0,\n", ""),
        "hall has no transition for .* left",
    ),
    ("m.csv", MAZE.replace("true", "perhaps"), "terminated is 'perhaps'"),
    ("m.csv", MAZE.replace("s,a,", "x,a,"), "line 1: the columns are x, a"),
    ("m.csv", MAZE + "cellar\n", "line 7: 1 fields; expected 6"),
    ("m.csv", "", "the columns are none"),
    ("m.csv", '# mfbpi: {"discount": 2}\n' + MAZE, "line 1: discount is 2; expected a number"),
    ("m.csv", '# mfbpi: {"initial": {"moon": 1}}\n' + MAZE, "the state 'moon'"),
    ("m.json", '{"transitions": [', "m.json, line 1: .*expected JSON"),
    ("m.json", '{"transitions": [{"s": 0}]}', "transition 0: the columns are s; expected"),
    ("m.json", "[" * 100_000, "m.json"),
    ("m.drn", DRN.replace("1/10", "1/0"), "m.drn, line 15: '1/0'; expected a finite number"),
    ("m.drn", DRN.replace("1 : 0.9", "7 : 0.9"), "state 0, action go leads to state 7"),
    ("m.drn", DRN.replace("1 : 0.9", "1 : 0.8"), "state 0, action go sum to 0.9"),
    ("m.drn", DRN.replace("state 1", "state 4"), "line 17: state 4; expected state 1 next"),
    (
        "m.drn",
        DRN.replace("[0.25] init", "init [0.25]"),
        r"line 11: '\[0.25\]' .* labels; expected",
    ),
    ("m.drn", DRN.replace("[0.25]", "[0.25] [1]"), r"line 11: '\[1\]' stands among the labels"),
    ("m.drn", DRN.replace("[0.25]", "!2.5 [0.25]"), "line 11: state 0 has the exit rate '!2.5'"),
    ("m.drn", DRN.replace("type: MDP", "type: MA").replace("0 [", "0 !2 ["), "the type is MA"),
    ("m.drn", DRN.partition("state 1")[0], "nr_states says 2, but the file holds 1 states"),
    ("m.drn", DRN.partition("\taction go")[0] + "state 1 [0]\n", "says 3, .* holds 1 choices"),
    (
        "m.drn",
        DRN.replace("choices\n3", "choices\nthree"),
        "nr_choices is 'three'; expected a whole",
    ),
    ("m.drn", DRN.replace("states\n2", f"states\n{'9' * 5000}"), "nr_states says 999"),
    ("m.drn", DRN.replace("action go [0]", "action [0]"), r"line 14: 'action \[0\]'; expected"),
    ("m.pomdp", TIGER.replace("0.75", "1.75"), "line 2: the discount is 1.75"),
    ("m.pomdp", TIGER.replace("identity", "1 0 0"), "line 10: 'T'; expected a finite number"),
    ("m.pomdp", TIGER.replace("-100 -100\n-100", "-100 -9\n-100"), "depend on the observation"),
    ("m.pomdp", TIGER.replace("open-left : tiger-left", "x : tiger-left"), "'x' is none of the 3"),
    ("m.pomdp", TIGER.replace("observations", "E"), "line 6: 'E:'; expected one of discount, val"),
    (
        "m.pomdp",
        TIGER.replace("O:open-left", "E: foo\nO:open-left"),
        "line 17: 'E:'; expected one of",
    ),
    ("m.pomdp", TIGER.replace(": uniform", ": : uniform"), "line 7: ':'; expected one of discount"),
    ("m.mdp", PLAIN.replace("1 : * 4", "1 : left 4"), "line 5: 'left' stands for an observation"),
    ("m.pomdp", "T: 0 : 0 : 0 1", "line 1: T comes before states and actions"),
    ("m.npz", "no archive", "is not an .npz file"),
    ("m.parquet", "no table", "is no Parquet file"),
    ("m.xls", "", "ends in '.xls'; expected .npz"),
]


@pytest.mark.parametrize(("name", "text", "said"), WRONG)
def test_a_wrong_file_is_answered(tmp_path: Path, name: str, text: str, said: str) -> None:
    """With the line or row, the state, the action and the number."""
    with pytest.raises(UsageError, match=said):
        read(tmp_path, name, text)


def test_what_a_format_cannot_hold_is_said(tmp_path: Path) -> None:
    """DRN pays pairs alone; Cassandra's grammar needs a discount."""
    text = "s,a,s',p,r\n0,0,0,0.5,0\n0,0,1,0.5,1\n1,0,1,1,0\n"
    model = read(tmp_path, "m.csv", text)
    with pytest.raises(UsageError, match="depends on the next state"):
        formats.write(model, tmp_path / "m.drn")
    with pytest.raises(UsageError, match="needs a discount"):
        formats.write(model, tmp_path / "m.mdp")


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    """An archive with an object in it is refused."""
    np.savez(tmp_path / "m.npz", P=np.array([{}], dtype=object), R=np.zeros((1, 1)))
    with pytest.raises(UsageError, match="plain arrays"):
        formats.read(tmp_path / "m.npz")

"""``mfbpi describe``: quantities of an instance, and instances that cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Command = Callable[..., Any]
WriteMDP = Callable[..., Path]

PUBLISHED = {  # RiverSwim at discount 0.95: Delta_min, max Delta, min MD, max MD, max Var, max M
    5: ("7.6e-02", "1.3e+00", "1.7e+00", "3.0e+00", "3.6e-01", "1.1e+00"),
    10: ("3.4e-02", "1.3e+00", "2.5e+00", "4.5e+00", "3.7e-01", "1.1e+00"),
    25: ("1.9e-02", "1.3e+00", "2.5e+00", "5.0e+00", "3.7e-01", "1.1e+00"),
    50: ("8.4e-03", "1.3e+00", "2.7e+00", "5.4e+00", "3.7e-01", "1.1e+00"),
    100: ("2.1e-04", "1.3e+00", "2.9e+00", "5.5e+00", "3.7e-01", "1.1e+00"),
}


def truncated(number: float) -> str:
    """Two significant digits, the others cut off, as the published tables print them."""
    digits, _, exponent = f"{number:.12e}".partition("e")
    return f"{digits[:3]}e{exponent}"


def test_quantities_by_hand(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """Two states at discount 1/2, worked out on paper."""
    described = mfbpi("describe", "--mdp", write_mdp(), "--discount", "0.5", "--json").json

    hardness, errors = described.pop("hardness"), described.pop("errors")
    assert hardness["diameter"]["value"] == pytest.approx(1.0)
    assert hardness["value_norm"]["value"] == pytest.approx(0.0)
    floats = ("delta_min", "delta_max", "md_min", "md_max", "var_min", "var_max", "moment_max")
    assert tuple(errors) == floats
    assert max(errors.values()) < 1e-14
    assert described == {
        "discount": 0.5,
        "n_states": 2,
        "n_actions": 2,
        "delta_min": pytest.approx(0.5),
        "delta_max": pytest.approx(1.5),
        "md_min": pytest.approx(1.0),
        "md_max": pytest.approx(1.0),
        "var_min": pytest.approx(0.0),
        "var_max": pytest.approx(0.0),
        "moment_max": pytest.approx(0.0),
        "ties": [],
        "unresolved": [],
        "communicating": True,
        "unreachable": [],
        "n_closed_classes": 1,
    }


@pytest.mark.parametrize("n_states", PUBLISHED)
def test_published_table(mfbpi: Command, n_states: int) -> None:
    """The quantities of RiverSwim, digit for digit."""
    setting = ("-E", f"n_states={n_states}", "--discount", "0.95")
    described = mfbpi("describe", "--env", "riverswim", *setting, "--json").json

    names = ("delta_min", "delta_max", "md_min", "md_max", "var_max", "moment_max")
    assert tuple(truncated(described[name]) for name in names) == PUBLISHED[n_states]


def test_table_for_people(mfbpi: Command) -> None:
    """Every quantity with its meaning; then the instance and its discount."""
    ended = mfbpi("describe", "--env", "riverswim")

    assert ended.code == 0
    assert ended.err == ""
    for text in ("delta_min", "least sub-optimality gap", "communicating", "yes", "none"):
        assert text in ended.out
    assert ended.out.splitlines()[-1] == "riverswim at discount 0.99."
    longer = mfbpi("describe", "--env", "riverswim", "-E", "n_states=7").out
    assert longer.splitlines()[-1] == "riverswim(n_states=7) at discount 0.99."


def test_discount_is_the_environment_s_or_the_user_s(mfbpi: Command) -> None:
    """The protocol of the environment says, unless the user does."""
    command = ("describe", "--env", "riverswim", "--json")

    assert mfbpi(*command).json["discount"] == 0.99
    assert mfbpi(*command, "--discount", "0.5").json["discount"] == 0.5


def test_ties_are_listed(mfbpi: Command, twins: Path) -> None:
    """Two identical actions: the least gap is zero, and the pairs are named."""
    described = mfbpi("describe", "--mdp", twins, "--json").json
    shown = mfbpi("describe", "--mdp", twins).out

    assert described["delta_min"] == 0.0
    assert sorted(s for s, _ in described["ties"]) == [0, 1]
    assert "2: (0, " in shown


def test_single_action_has_no_gap(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """Without a sub-optimal pair the least gap is infinite, which JSON writes as a text."""
    file = write_mdp(P=np.full((2, 1, 2), 0.5), R=[[0.0], [1.0]])

    assert mfbpi("describe", "--mdp", file, "--json").json["delta_min"] == "inf"


def test_unresolved_gaps_are_not_called_ties(mfbpi: Command, long_river: tuple[str, ...]) -> None:
    """Far from its ends a long river has gaps that double precision cannot tell from zero."""
    described = mfbpi("describe", *long_river, "--json").json

    shown = mfbpi("describe", *long_river).out

    assert described["ties"] == []
    assert len(described["unresolved"]) > 10
    assert described["errors"]["delta_min"] >= described["delta_min"]
    assert re.search(r"delta_min +below \de-\d\d", shown)


def test_structure_is_diagnosed(mfbpi: Command, one_way: Path) -> None:
    """States that a walk never meets or never leaves are named on standard error."""
    ended = mfbpi("describe", "--mdp", one_way, "--json")

    assert ended.json["unreachable"] == [0]
    assert ended.json["communicating"] is False
    assert "warning: no walk from the start visits state 0" in ended.err
    assert "not communicating" in ended.err


def test_closed_classes_are_named(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """Two absorbing states: two sets that cannot be left."""
    file = write_mdp(P=np.eye(2)[[[0, 0], [1, 1]]])
    ended = mfbpi("describe", "--mdp", file)

    assert "2 sets of states cannot be left: state 0; state 1" in ended.err


def test_rewards_of_transitions_are_averaged(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """R [S, A, S] is weighed with P: the same instance as its mean rewards."""
    per_transition = np.zeros((2, 2, 2))
    per_transition[1, 0, 1] = 1.0

    few = ("--discount", "0.5", "--json")
    one = mfbpi("describe", "--mdp", write_mdp(R=per_transition), *few).out
    other = mfbpi("describe", "--mdp", write_mdp(), *few).out
    assert one == other


def test_terminal_states_take_no_part(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """A terminal state has value zero and no gap; state 0 then earns nothing either way."""
    file = write_mdp(terminal=np.array([0, 1]), R=[[0.5, 0.0], [0.0, 0.0]])
    described = mfbpi("describe", "--mdp", file, "--discount", "0.5", "--json").json

    assert described["delta_min"] == described["delta_max"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"P": None}, "lacks P; it has the arrays: R; expected P [S,A,S] and R [S,A] or [S,A,S]"),
        ({"P": None, "R": None}, "lacks P and R; it has the arrays: none"),
        ({"P": np.array([[["a"]]])}, "transitions must be an array of numbers"),
        ({"P": np.array([{}], dtype=object)}, "not an .npz file of plain arrays (Object arrays"),
        ({"P": np.ones((2, 2))}, "transitions have shape (2, 2); expected [S, A, S]"),
        ({"R": np.ones(2)}, "rewards have shape (2,); expected [S, A] = (2, 2) or [S, A, S]"),
        ({"P": np.full((2, 2, 2), 0.45)}, "of (s=0, a=0) sum to 0.9; expected 1"),
        ({"P": [[[1, 0], [2, -1]], [[0, 1], [1, 0]]]}, "of (s=0, a=1) has probability -1"),
        ({"R": [[0, 0], [1.5, 0]]}, "a mean reward of (s=1, a=0) is 1.5; expected 0 to 1"),
        ({"R": [[0, np.nan], [1, 0]]}, "rewards[0, 1] is nan; expected finite numbers"),
        ({"initial": [0.5, 0.6]}, "initial has minimum 0.5 and sum 1.1"),
        ({"terminal": [0.0, 1.0]}, "terminal is float64 of shape (2,); expected a boolean mask"),
        ({"terminal": np.array([True, True])}, "every state is terminal"),
        (
            {"P": np.eye(2)[[[0, 1], [1, 0]]] * 1j},
            "not of complex numbers: transitions[0, 0, 0] is",
        ),
        (
            {"P": np.tile(np.eye(2), (3, 1, 1))},
            "like [A, S, S], so pass P.transpose(1, 0, 2)",
        ),
        (
            {"reward_range": [0.0, 0.5]},
            "rewards[1, 0]: a mean reward of (s=1, a=0) is 1;",
        ),
        (
            {"reward_range": [1.0, 0.0]},
            "reward_range is [1.0, 0.0]; expected two numbers",
        ),
        ({"reward_range": 1.0}, "reward_range is 1.0; expected two numbers"),
    ],
)
def test_bad_file_is_explained(
    mfbpi: Command, write_mdp: WriteMDP, changes: dict[str, Any], message: str
) -> None:
    """The file, and the array or the pair (s, a) at fault; exit code 2, no traceback."""
    file = write_mdp(**changes)
    ended = mfbpi("describe", "--mdp", file)

    assert ended.code == 2
    assert ended.out == ""
    assert str(file) in ended.err
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", None])
def test_file_of_another_kind_is_explained(
    mfbpi: Command, tmp_path: Path, content: bytes | None
) -> None:
    """Empty files, texts, torn archives and directories."""
    file = tmp_path / "instance.npz"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    ended = mfbpi("describe", "--mdp", file)

    assert ended.code == 2
    assert f"{file} is not an .npz file of plain arrays" in ended.err


def test_array_file_is_no_instance(mfbpi: Command, tmp_path: Path) -> None:
    """A single array, of np.save, has no names."""
    np.save(tmp_path / "instance.npy", np.eye(2))
    ended = mfbpi("describe", "--mdp", tmp_path / "instance.npy")

    assert ended.code == 2
    assert "instance.npy is not an .npz file" in ended.err


def test_rewards_of_terminal_states_are_warned_of(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """They change nothing, and one line says so, with the file and the state."""
    few = ("--discount", "0.5", "--json")
    paid = write_mdp(terminal=np.array([False, True]), R=[[0.5, 0.0], [1.0, 0.0]])
    ended = mfbpi("describe", "--mdp", paid, *few)
    unpaid = write_mdp(terminal=np.array([False, True]), R=[[0.5, 0.0], [0.0, 0.0]])

    assert ended.out == mfbpi("describe", "--mdp", unpaid, *few).out
    (line,) = [line for line in ended.err.splitlines() if "terminal" in line]
    assert line.startswith(f"warning: {paid}: rewards of the terminal state 1 are never paid")
    assert "on the transitions into the state" in line


@pytest.mark.parametrize("where", ["file", "command", "both"])
def test_reward_range_is_declared(mfbpi: Command, write_mdp: WriteMDP, where: str) -> None:
    """By the file or on the command line, which goes first; gaps of V = (1, 2) times 3."""
    wrong = {"reward_range": [0.0, 1.0]} if where == "both" else {}
    changes = {"reward_range": [-1.0, 3.0]} if where == "file" else wrong
    options = () if where == "file" else ("-E", "reward_range=-1,3")
    file = write_mdp(R=[[0.0, 0.0], [3.0, 0.0]], **changes)
    described = mfbpi("describe", "--mdp", file, *options, "--discount", "0.5", "--json").json

    assert described["delta_min"] == pytest.approx(1.5)


def test_unknown_arrays_are_named(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """A misspelt array is not silently left out."""
    ended = mfbpi("describe", "--mdp", write_mdp(intial=[0.0, 1.0]), "--json")

    assert ended.code == 0
    assert "ignored arrays: intial; known are P, R, initial, terminal" in ended.err
    assert json.loads(ended.out)["n_states"] == 2


@pytest.mark.parametrize("command", [("describe",), ("bound", "--bound", "u")])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give either --env NAME or --mdp FILE"),
        (("--env", "riverswim", "--mdp", "x.npz"), "give either --env NAME or --mdp FILE"),
        (("--mdp", "nowhere.npz"), "there is no file nowhere.npz"),
        (("--mdp", "x.npz", "-E", "n_states=5"), "-E sets parameters of an environment"),
        (("--env", "riversim"), "no environment is called 'riversim'; did you mean riverswim?"),
        (("--env", "riverswim", "-E", "n_sates=5"), "did you mean n_states?"),
        (("--env", "riverswim", "-E", "n_states=1"), "n_states is 1; expected int >="),
        (("--env", "ring"), "environment ring has no exact model"),
        (("--env", "riverswim", "--discount", "1"), "--discount is 1; expected a number between"),
        (("--env", "riverswim", "--discount", "nan"), "--discount is nan"),
        (("--env", "riverswim", "--discount", "x"), "'--discount': 'x' is not a valid float"),
    ],
)
def test_bad_options_are_explained(
    mfbpi: Command, command: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    """Exit code 2 and one or two lines, for both commands that ask about an instance."""
    ended = mfbpi(*command, *options)

    assert ended.code == 2
    assert ended.out == ""
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.err.splitlines()) <= 2

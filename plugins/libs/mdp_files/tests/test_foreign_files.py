"""Files as other programs and people write them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import formats
from mfbpi_lib_tabular.solution import planning

ROWS = "s,a,s',p,r\na,stay,a,1,0\na,go,b,1,0.5\nb,stay,a,1,0\nb,go,b,1,1\n"

MARK = b"\xef\xbb\xbf"  # of byte order, which spreadsheets write


def as_json(**header: object) -> str:
    """The rows as an object."""
    names, *rows = (line.split(",") for line in ROWS.splitlines())
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    return json.dumps({**header, "transitions": listed})


@pytest.mark.parametrize(
    "content",
    [
        ROWS.encode(),
        MARK + ROWS.encode(),
        ROWS.replace("\n", "\r\n").encode(),
        ROWS.replace("\n", "\r").encode(),
        ROWS.replace(",", ", ").encode(),
        ROWS.replace("\n", "\n\n").encode(),
    ],
)
def test_marks_and_line_ends_are_no_matter(tmp_path: Path, content: bytes) -> None:
    """V(b) = 1 / (1 - 0.9) = 10, V(a) = 0.5 + 0.9 * 10, whoever wrote the lines."""
    file = tmp_path / "rows.csv"
    file.write_bytes(content)
    model = formats.read(file)

    assert planning.solve(model.mdp, 0.9).values == pytest.approx([9.5, 10.0])


@pytest.mark.parametrize("ending", ["json", "drn", "mdp"])
def test_marks_are_no_matter_in_other_formats(tmp_path: Path, ending: str) -> None:
    """What is written is read with a mark before it too."""
    plain, marked = tmp_path / f"plain.{ending}", tmp_path / f"marked.{ending}"
    (tmp_path / "rows.csv").write_text('# mfbpi: {"discount": 0.9}\n' + ROWS)
    formats.write(formats.read(tmp_path / "rows.csv"), plain)
    marked.write_bytes(MARK + plain.read_bytes())

    assert np.array_equal(
        formats.read(marked).mdp.transitions, formats.read(tmp_path / "rows.csv").mdp.transitions
    )


@pytest.mark.parametrize("with_rows", [True, False])
def test_states_that_the_header_calls_terminal_are(tmp_path: Path, with_rows: bool) -> None:
    """Entering b ends the episode, whether or not rows say so: V(a) = 0.5, and b is worth 0."""
    text = as_json(terminal=["b"])
    if not with_rows:
        found = json.loads(text)
        text = json.dumps({**found, "transitions": found["transitions"][:2]})
    (tmp_path / "ends.json").write_text(text)
    model = formats.read(tmp_path / "ends.json")

    assert model.states == ("a", "b")
    assert model.mdp.terminal.tolist() == [False, True]
    assert planning.solve(model.mdp, 0.9).values == pytest.approx([0.5, 0.0])


@pytest.mark.parametrize("terminal", [["a"], ["a", "b"]])
def test_no_episode_begins_at_its_end(tmp_path: Path, terminal: list[str]) -> None:
    """The first state is where episodes begin, if nothing else is said."""
    (tmp_path / "ended.json").write_text(as_json(terminal=terminal))

    with pytest.raises(UsageError, match=r"episodes begin in state a, the first one.* terminal"):
        formats.read(tmp_path / "ended.json")


def test_states_that_count_from_one_are_said_to(tmp_path: Path) -> None:
    """State 0, of which nothing is said, would be the first."""
    rows = "s,a,s',p,r\n1,l,1,1,0\n1,r,2,1,0\n2,l,1,1,0\n2,r,2,1,1\n"
    (tmp_path / "one.csv").write_text(rows)

    with pytest.raises(UsageError, match=r"state 0, the first one.* count from 0"):
        formats.read(tmp_path / "one.csv")


@pytest.mark.parametrize("number", ["1_0", "nan", "inf", "0x1p-1", "", "9" * 500])
def test_numbers_are_plain(tmp_path: Path, number: str) -> None:
    """Python's underscores are not part of a number in a table; a message stays short."""
    (tmp_path / "rows.csv").write_text(ROWS.replace("0.5", number))

    with pytest.raises(UsageError, match="line 3: state a, action go: r is") as caught:
        formats.read(tmp_path / "rows.csv")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("discount", [1.5, 0.0, np.nan, [0.5, 0.6], "abc", True])
def test_discount_of_arrays_is_one_number(tmp_path: Path, discount: object) -> None:
    """Anything else is refused with the file's name."""
    file = tmp_path / "model.npz"
    np.savez(file, P=np.ones((1, 1, 1)), R=np.ones((1, 1)), discount=np.array(discount))

    with pytest.raises(UsageError, match=r"model.npz: discount is .*strictly between 0 and 1"):
        formats.read(file)

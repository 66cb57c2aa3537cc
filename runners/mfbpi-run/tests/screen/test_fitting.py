"""Tables that do not fit: what gives way, and what never does."""

from __future__ import annotations

import pytest

from mfbpi_run.screen import fitting, output


def table(**changes: object) -> fitting.Table:
    """Two rows: a name, a constant, and a text."""
    settings = {
        "columns": ("name", "env", "summary"),
        "rows": (
            ("riverswim(n_states=5)", "here", "a long text of several words"),
            ("riverswim(n_states=9)", "here", "short"),
        ),
        "wrap": frozenset({"summary"}),
    }
    return fitting.Table(**{**settings, **changes})  # type: ignore[arg-type]


def test_wide_enough() -> None:
    """Nothing is left out: 21 + 4 + 28 and 3 for each column, 1 for the edge."""
    assert fitting.fitted(table(), 63) == table()
    assert fitting.fitted(table(), None) == table()


def test_text_wraps_first() -> None:
    """It needs 16 columns only: 21 + 4 + 16 + 10."""
    assert fitting.fitted(table(), 51) == table()


def test_constant_column_is_shared_next() -> None:
    """It becomes a line above the table: 21 + 16 + 7 columns remain."""
    for width in (50, 44):
        found = fitting.fitted(table(), width)

        assert found is not None
        assert found.columns == ("name", "summary")
        assert found.shared == (("env", "here"),)


def test_dispensable_column_goes_last() -> None:
    """In the order given."""
    found = fitting.fitted(table(drop=("summary",)), 30)

    assert found is not None
    assert found.columns == ("name",)


def test_names_do_not_give_way() -> None:
    """Each cell has a line of its own instead; empty ones have none."""
    narrow = table(rows=(("riverswim(n_states=5)", "", "x"), ("b", "here", "y")))

    assert fitting.fitted(narrow, 24) is None
    assert fitting.records(narrow) == [
        "name: riverswim(n_states=5)", "summary: x", "", "name: b", "env: here", "summary: y",
    ]  # fmt: skip


@pytest.mark.parametrize("width", range(10, 100, 7))
def test_whatever_the_width_names_are_whole(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``COLUMNS`` is honoured when the output is redirected, and no line of a table is longer."""
    monkeypatch.setenv("COLUMNS", str(width))
    rows = table().rows
    output.show_table(table().columns, rows, wrap=("summary",))
    printed = capsys.readouterr().out

    assert all(row[0] in printed.replace("\n", " ").split(" ") for row in rows)
    if "name: " not in printed:
        assert max(map(len, printed.splitlines())) <= width


def test_redirected_output_is_not_limited(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long text stays on one line."""
    monkeypatch.delenv("COLUMNS", raising=False)
    text = " ".join(["word"] * 200)
    output.show_table(("name", "summary"), [("a", text)], wrap=("summary",))

    assert text in capsys.readouterr().out


def test_cells_are_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    """Line breaks and escape sequences in a cell do not act."""
    output.show_table(("name",), [("a\n\x1b[31mb",)], caption="c\x07")
    printed = capsys.readouterr().out

    assert "a\\n\\x1b[31mb" in printed
    assert "c\\x07" in printed

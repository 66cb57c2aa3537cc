"""What a file of arrays says beside its model, on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
WriteMDP = Callable[..., Path]


def test_discount_in_the_arrays_counts(mfbpi: Command, write_mdp: WriteMDP) -> None:
    """0.5 if the file says so, as in other formats; the command line goes first."""
    file = write_mdp(discount=0.5)

    assert mfbpi("describe", "--mdp", file, "--json").json["discount"] == 0.5
    again = mfbpi("describe", "--mdp", file, "--discount", "0.7", "--json")
    assert (again.json["discount"], again.err) == (0.7, "")
    wrong = mfbpi("describe", "--mdp", write_mdp(discount=[0.5, 0.6]))
    assert (wrong.code, "expected one number strictly between 0 and 1" in wrong.err) == (2, True)

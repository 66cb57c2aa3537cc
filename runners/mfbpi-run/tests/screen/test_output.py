"""What the commands print for programs."""

from __future__ import annotations

import json
import math

import pytest

from mfbpi_run.screen import output


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, None),
        (1.5, 1.5),
        (True, True),
        ("inf", "inf"),
        ({"a": [math.inf, (math.nan, 2)]}, {"a": ["inf", [None, 2]]}),
    ],
)
def test_json_has_neither_infinity_nor_nan(
    data: object, expected: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """Infinity is a text, what is not a number is null, at any depth."""
    output.show_json(data)

    assert json.loads(capsys.readouterr().out) == expected

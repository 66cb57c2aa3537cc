"""KEY=VALUE settings and sets of seeds."""

from __future__ import annotations

import pytest

from mfbpi.plan.settings import Setting, parse_seeds, parse_setting
from mfbpi_core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("0:4", (0, 1, 2, 3)),
        (":2", (0, 1)),
        ("3", (3,)),
        ("0,2,5", (0, 2, 5)),
        ("7, 0:2", (7, 0, 1)),
        ("10:12", (10, 11)),
    ],
)
def test_seeds_are_read(text: str, seeds: tuple[int, ...]) -> None:
    """Ranges exclude their end, as in Python; lists mix both."""
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "expected a range"),
        ("a:b", "expected a range"),
        ("1.5", "expected a range"),
        ("5:", "expected a range"),
        ("3:3", "is empty"),
        ("5:2", "is empty"),
        ("-1", "from 0"),
        ("-2:2", "from 0"),
        ("0:3,1", "seed 1 is given twice"),
        ("0:99999999", "has 99999999 seeds"),
        ("1_0", "expected a range"),
        ("\u0663", "expected a range"),
        (str(2**63), "from 0"),
    ],
)
def test_bad_seeds_are_refused(text: str, cause: str) -> None:
    """The message repeats what was given and says what was expected."""
    with pytest.raises(UsageError, match=cause) as raised:
        parse_seeds(text)

    assert repr(text) in str(raised.value)


@pytest.mark.parametrize(
    ("text", "target", "key", "value"),
    [
        ("k=2", None, "k", "2"),
        ("mf_bpi.k=2", "mf_bpi", "k", "2"),
        ("ring:5.slip=0.5", "ring:5", "slip", "0.5"),
        ("some-dist.x:mf_bpi.k=2", "some-dist.x:mf_bpi", "k", "2"),
        ("name=a=b", None, "name", "a=b"),
        ("k =  2 ", None, "k", "2"),
    ],
)
def test_settings_are_read(text: str, target: str | None, key: str, value: str) -> None:
    """The name before the last dot is the plugin's."""
    expected = Setting(option="-A", target=target, key=key, value=value)

    assert parse_setting("-A", text) == expected


@pytest.mark.parametrize("text", ["k", "=2", "mf_bpi.=2", ".k=2", ""])
def test_bad_settings_are_refused(text: str) -> None:
    """Anything but KEY=VALUE is a usage error that shows both forms."""
    with pytest.raises(UsageError, match=r"expected KEY=VALUE or NAME\.KEY=VALUE"):
        parse_setting("-A", text)

"""What a class refers to in any way is part of it, and so are modules of the user's beside it."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import mfbpi as library
from mfbpi.plan import beside, own
from mfbpi.plan.content import Content

#: What a cell defines, with a value, and how the class uses it.
REFERRED = {
    "lambda": ("K = {v}", "max(range(2), key=lambda a: a * K)"),
    "comprehension": ("K = {v}", "[K for i in range(1)][0]"),
    "generator": ("K = {v}", "sum(K for i in range(1))"),
    "function in a comprehension": ("def f(): return {v}", "[f() for i in range(1)][0]"),
    "function in a dictionary": ("def f(): return {v}\nR = dict(a=f)", "R['a']()"),
    "lambda in a list": ("R = [lambda: {v}]", "R[0]()"),
    "class in a list": ("class H:\n    k = {v}\nL = [H]", "L[0].k"),
    "instance": ("class H:\n    def __init__(self): self.k = {v}\nh = H()", "h.k"),
    "method of an instance": ("class H:\n    def k(self): return {v}\nh = H()", "h.k()"),
    "partial": ("def f(x): return x\np = functools.partial(f, {v})", "p()"),
    "cached": ("@functools.cache\ndef f(): return {v}", "f()"),
    "decorated": ("def d(f):\n    return lambda: {v}\n@d\ndef f(): pass", "f()"),
    "namespace": ("N = types.SimpleNamespace(k={v})", "N.k"),
    "named tuple": ("P = collections.namedtuple('P', 'k')({v})", "P.k"),
    "enumeration": ("class E(enum.Enum):\n    k = {v}", "E.k.value"),
    "attrs": ("@attrs.frozen\nclass P:\n    k: int = {v}", "P().k"),
    "factory": ("@attrs.frozen\nclass P:\n    k: int = attrs.field(factory=lambda: {v})", "P().k"),
    "data class": ("@dataclasses.dataclass\nclass P:\n    k: int = {v}", "P().k"),
    "fraction": ("K = fractions.Fraction({v})", "int(K)"),
    "path": ("K = pathlib.Path('{v}')", "len(str(K))"),
    "generator of numbers": ("K = np.random.default_rng({v})", "K.integers(2)"),
    "range": ("K = range({v})", "len(K)"),
    "queue": ("K = collections.deque([{v}])", "K[0]"),
    "frame": ("D = pd.DataFrame(dict(k=[{v}]))", "int(D.k[0])"),
    "compiled": ("@numba.njit\ndef f(): return {v}", "f()"),
}

#: What a class has itself.
OWN = {
    "class": "H = type('H', (), dict(k={v}))",
    "lambda": "f = lambda self: {v}",
    "partial method": "f = functools.partialmethod(lambda self, k: k, {v})",
    "cached": "f = functools.cache(lambda self: {v})",
    "dictionary": "f = dict(a=lambda: {v})",
    "parameters": "Config = attrs.make_class('Config', dict(k=attrs.field(default={v})))",
    "data": "__k__ = {v}",
    "property": "f = property(lambda self: {v})",
}

IMPORTS = (
    "import attrs, collections, dataclasses, enum, fractions, functools, numba, pathlib, types\n"
    "import numpy as np\nimport pandas as pd\nfrom mfbpi_core import Agent\n"
)
CLASS = (
    "\nclass Mine(Agent):\n    {own}\n    def update(self, t): pass\n"
    "    def recommend(self, o): return 0\n    def select_action(self, o): return {use}\n"
)


def named(defined: str, own_part: str, use: str, value: int) -> str:
    """The name of the class in a new notebook."""
    cell = types.ModuleType("a_notebook")
    sys.modules["a_notebook"] = cell  # as dataclasses look there
    text = IMPORTS + defined + CLASS.format(own=own_part, use=use)
    try:
        exec(compile(text.replace("{v}", str(value)), "cell", "exec"), vars(cell))
        return own.named(vars(cell)["Mine"])
    finally:
        del sys.modules["a_notebook"]


@pytest.mark.parametrize("what", REFERRED)
def test_whatever_it_refers_to_is_part_of_it(what: str) -> None:
    """Another value makes another class; the same one, made anew, does not."""
    defined, use = REFERRED[what]
    one, again, other = (named(defined, "pass", use, value) for value in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize("what", OWN)
def test_whatever_it_has_is_part_of_it(what: str) -> None:
    """In whatever form."""
    one, again, other = (named("", OWN[what], "0", value) for value in (1, 1, 2))
    assert one == again != other


def test_digests_are_the_same_in_every_process(
    tmp_path: Path, printed: Callable[..., set[str]]
) -> None:
    """Though attrs writes a number of the process into its hashes, and sets have another order."""
    program = tmp_path / "program.py"
    program.write_text(
        IMPORTS
        + REFERRED["attrs"][0].format(v=1)
        + "\nS = {'a', 'b', 'c', ('d', 'e'), ('f',), frozenset('xyz')}"
        "\nT = frozenset({P, len, 'a'})\nfrom mfbpi.plan.content import Content\n"
        "def f(): return P, S, T, {'x', 'y', 'z'}\nheld = Content()\n"
        "held.add(f)\nprint(held.hexdigest())"
    )
    assert len(printed(str(program))) == 1


def test_what_is_without_end_or_deep_ends() -> None:
    """Circles, long chains, and long lists, of which all counts."""
    circle: list[Any] = []
    circle.append({"self": circle})
    chain: list[Any] = []
    for _ in range(10_000):
        chain = [chain]
    digests = set()
    for value in (circle, chain, list(range(10**6)), [*range(10**6 - 1), -1]):
        held = Content()
        held.add(value)
        digests.add(held.hexdigest())
    assert len(digests) == 4


def held(*names: str) -> bytes:
    """What modules hold."""
    return b"".join(beside.contents(names))


def test_modules_beside_count_with_all_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data of a package, behind links too; called as ours begin; imported by a function's call."""
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "mfbpi_mine_of_test"
    (tmp_path / "elsewhere").mkdir()
    package.mkdir()
    (package / "__init__.py").write_text(
        "import importlib\nx = importlib.import_module('late_of_test')"
    )
    (tmp_path / "late_of_test.py").write_text("K = 1")
    (package / "linked").symlink_to(tmp_path / "elsewhere")
    (package / "around").symlink_to(package)
    os.mkfifo(package / "pipe.py")
    found = [held("mfbpi_mine_of_test.inner")]
    for change in (
        package / "table.csv",
        tmp_path / "elsewhere/x.txt",
        tmp_path / "late_of_test.py",
    ):
        change.write_text("2")
        found.append(held("mfbpi_mine_of_test.inner"))

    assert len(set(found)) == 4
    assert held("numpy", "mfbpi_core", "json", "no_such_module", "no name") == b""


@pytest.mark.parametrize(
    "reaches",
    [
        "M = [rules_of_test]\ndef f(): return M[0].rule()",
        "def f(m=rules_of_test): return m.rule()",
        "NAME = 'rule'\ndef f(): return getattr(rules_of_test, NAME)()",
        "import importlib\ndef f(): return importlib.import_module('rules_of_test').rule()",
        "import importlib\nN = 'rules_of_test'\ndef f(): return importlib.import_module(N).rule()",
    ],
)
def test_modules_that_are_reached_in_any_way_count(
    reaches: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their files."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "rules_of_test.py").write_text("def rule(): return 1")
    defined: dict[str, Any] = {"__name__": "__main__"}
    exec(f"import rules_of_test\n{reaches}", defined)
    content = Content()
    content.add(defined["f"])
    del sys.modules["rules_of_test"]

    assert "rules_of_test" in content.modules


def test_data_sets_beside_a_module_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their size and time stand for them."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "data_of_test").mkdir()
    large = tmp_path / "data_of_test/all.bin"
    with large.open("wb") as opened:
        opened.truncate(2**40)
    before = held("data_of_test")
    os.utime(large, (1, 1))

    assert len(before) < 100
    assert held("data_of_test") != before


def test_a_module_that_was_edited_since_its_import_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in memory is not what workers would import."""
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "edited_of_test.py"
    module.write_text("K = 1")
    __import__("edited_of_test")
    held("edited_of_test")
    module.write_text("K = 2")
    with pytest.raises(library.UsageError, match=r"edited_of_test was edited.*importlib\.reload"):
        held("edited_of_test")
    del sys.modules["edited_of_test"]
    assert b"K = 2" in held("edited_of_test")


@pytest.mark.parametrize(("then", "refused"), [("K = 22", True), ("K = 1", False), ("K = (", True)])
def test_an_edit_before_the_first_look_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str, refused: bool
) -> None:
    """By the bytecode that importing wrote; a file that was only written again is no other."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    package = tmp_path / "looked_at_late"
    package.mkdir()
    (package / "__init__.py").write_text("from looked_at_late import inner")
    inner = package / "inner.py"
    inner.write_text("K = 1")
    os.utime(inner, (1e9, 1e9))
    __import__("looked_at_late")
    inner.write_text(then)
    said = r"looked_at_late was edited.*importlib\.reload"
    refusal = pytest.raises(library.UsageError, match=said) if refused else nullcontext()
    with refusal:
        held("looked_at_late")
    for name in ("looked_at_late", "looked_at_late.inner"):
        del sys.modules[name]


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """Nobody waits for a pipe; what is nested too deep imports nothing that could be found."""
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(library.UsageError, match=r"pipe\.py is no regular file"):
        library.run(f"{tmp_path}/pipe.py:Mine", "ring", executor="inline")
    assert beside.imported(b"x = " + b"-" * 100_000 + b"1") == set()

"""What a compiled function can have been made from."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import types as nb
from numba.core.typing import signature
from numba.extending import intrinsic, overload

from mfbpi_lib_compiled.content import digest

ONE = (nb.float64,)


def of(function: Any, arguments: Any = ONE, **options: Any) -> str:
    """The digest of a function that numba compiles."""
    return digest(numba.njit(**options)(function), arguments, "this processor")


@pytest.fixture
def module() -> Iterator[Callable[[str, str], types.ModuleType]]:
    """Makes modules from their names and sources, and forgets them at the end."""
    made: list[str] = []

    def make(name: str, source: str) -> types.ModuleType:
        new = types.ModuleType(name)
        sys.modules[name] = new
        made.append(name)
        exec(source, vars(new))
        return new

    yield make
    for name in made:
        sys.modules.pop(name, None)


LOOP = "def loop(x): return {} * x"
IMPORTS = {
    "a constant": ("from own_b import RATE", "RATE"),
    "all that a module has": ("from own_b import *", "RATE"),
    "an attribute of a module": ("import own_b", "own_b.RATE"),
    "an attribute of a module in a module": ("import own_c", "own_c.own_b.RATE"),
    "a function that is compiled too": (
        "import numba, own_b\n@numba.njit\ndef rule(): return own_b.RATE",
        "rule()",
    ),
    "a function of a function": (
        """import numba
from own_b import RATE
@numba.njit
def deep(): return RATE
@numba.njit
def rule(): return deep()""",
        "rule()",
    ),
    "an inner function": (
        "from own_b import RATE",
        "(lambda y: y * RATE)(1.0)",
    ),
    "a number in a tuple": ("import own_b\nBOTH = (1.0, own_b.RATE)", "BOTH[1]"),
    "a field of a tuple": (
        """import own_b, collections
names = "low high" if own_b.RATE == 1.0 else "high low"
BOTH = collections.namedtuple("Pair", names)(1.0, 2.0)""",
        "BOTH.low",
    ),
    "a slice": (
        "import own_b, numpy\nPART = slice(0, int(own_b.RATE))",
        "numpy.ones(3)[PART].sum()",
    ),
    "a module in one of its own name": (
        """import types, own_b
pk = types.ModuleType("sub")
pk.sub = types.ModuleType("sub")
pk.sub.sub = types.ModuleType("sub")
pk.sub.sub.RATE = own_b.RATE""",
        "pk.sub.sub.RATE",
    ),
    "an array": ("import own_b, numpy as np\nBOTH = np.array([1.0, own_b.RATE])", "BOTH[1]"),
    "an enumeration": (
        "import own_b, enum\nclass Rate(enum.Enum):\n    FAST = own_b.RATE",
        "Rate.FAST.value",
    ),
    "a universal function": (
        "import own_b, numba\n@numba.vectorize\ndef rule(x): return x * own_b.RATE",
        "rule(1.0)",
    ),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_a_value_counts_however_it_is_reached(module: Any, case: str) -> None:
    """And for nothing else than its value: one that changes back is the same."""
    imported, used = IMPORTS[case]
    found = []
    for rate in (1.0, 2.0, 1.0):
        module("own_b", f"RATE = {rate}")
        module("own_c", "import own_b")
        found.append(of(module("own_a", f"{imported}\n{LOOP.format(used)}").loop))

    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize(
    "other",
    ["", "import numpy\nOTHER = numpy.zeros(3)", "OTHER = object()", "def other(): return OTHER"],
)
def test_what_a_function_does_not_mention_does_not_count(module: Any, other: str) -> None:
    """Whatever else its module holds."""
    texts = [f"RATE = 1.0\n{LOOP.format('RATE')}\n{each}" for each in ("", other)]

    assert len({of(module("own_a", text).loop) for text in texts}) == 1


def test_a_patched_constant_is_what_is_compiled() -> None:
    """Files say one thing, and the process another."""
    scope: dict[str, Any] = {"RATE": 2.0}
    exec(LOOP.format("RATE"), scope)
    before = of(scope["loop"])
    scope["RATE"] = 3.0

    assert of(scope["loop"]) != before


def test_functions_of_one_line_differ() -> None:
    """numba's own cache takes one for the other, by the bytes of their code."""
    first, second = (lambda x: 2.0 * x), (lambda x: 3.0 * x)

    assert of(first) != of(second)


def test_what_a_closure_holds_counts() -> None:
    """Numbers, modules and other functions."""

    def factory(rate: Any) -> Any:
        return lambda x: rate * x

    def rule() -> float:
        return 1.0

    held = [1.0, 2.0, 1, np.float32(1.0), numba.njit(rule), np]
    found = {of(factory(each)) for each in held}

    assert len(found) == len(held)
    assert of(factory(1.0)) in found


def test_options_count() -> None:
    """Divisions by zero raise, or give infinity."""
    found = {of(test_options_count, **each) for each in ({}, {"error_model": "numpy"})}

    assert len(found) == 2


def test_bounds_that_are_checked_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting of the environment."""
    before = of(test_options_count)
    monkeypatch.setattr(numba.core.config, "BOUNDSCHECK", 1)

    assert of(test_options_count) != before


def test_types_count_by_the_names_of_their_fields() -> None:
    """Fields that change places keep the types of a tuple."""

    def pair(*names: str) -> Any:
        fields = [(name, float) for name in names]
        return nb.NamedTuple((nb.float64, nb.float64), NamedTuple("Pair", fields))

    found = {of(test_options_count, (each,)) for each in (pair("a", "b"), pair("b", "a"))}

    assert len(found) == 2
    assert of(test_options_count, (pair("a", "b"),)) in found


def test_a_function_that_is_handed_over_counts() -> None:
    """By what it does, and not by where it lies in memory."""

    def handed(rate: float) -> Any:
        function = numba.njit(eval(f"lambda x: {rate} * x"))
        return digest(numba.njit(test_options_count), (nb.Dispatcher(function),), "")

    assert handed(1.0) == handed(1.0) != handed(2.0)


def test_types_and_processors_count() -> None:
    """Each has machine code of its own."""
    kinds = [nb.float32, nb.float64, nb.float64[::1], nb.float64[:], nb.UniTuple(nb.float64, 2)]
    found = {of(test_options_count, (kind,)) for kind in kinds}
    found.add(digest(numba.njit(test_options_count), ONE, "another processor"))
    found.add(of(test_options_count, signature(nb.float32, nb.float64)))

    assert len(found) == len(kinds) + 2


def test_the_layout_of_an_array_counts(module: Any) -> None:
    """Functions may ask for it."""
    found = set()
    for order in ("C", "F"):
        user = module("own_a", LOOP.format("BOTH.flags.f_contiguous"))
        user.BOTH = np.array([[1.0, 2.0], [3.0, 4.0]], order=order)
        found.add(of(user.loop))

    assert len(found) == 2


@pytest.mark.parametrize("extended", [np.polyval, sorted])
def test_what_extends_functions_of_others_counts(extended: Any) -> None:
    """numpy's and Python's own are the usual ones to be extended."""
    found = set()
    user: dict[str, Any] = {"extended": extended}
    exec(LOOP.format("extended(x)"), user)
    for rate in (1.0, 2.0):
        overload(extended)(eval(f"lambda x: lambda x: {rate}"))
        found.add(of(user["loop"]))

    assert len(found) == 2


@pytest.mark.parametrize("kind", ["overload", "intrinsic"])
def test_what_extends_numba_counts(module: Any, kind: str) -> None:
    """It is run while something is compiled, and decides what that becomes."""
    found = set()
    for rate in (1.0, 2.0):
        other = module("own_b", f"def rule(): pass\ndef made(): return lambda: {rate}")
        if kind == "overload":
            overload(other.rule)(other.made)
        else:
            other.rule = intrinsic(lambda typing, made=other.made: made())
        user = module("own_a", f"from own_b import rule\n{LOOP.format('rule()')}")
        found.add(of(user.loop))

    assert len(found) == 2


def test_circles_end(module: Any) -> None:
    """A function that calls itself, and modules that import each other."""
    first = module("own_a", "import numba\n@numba.njit\ndef loop(x): return own_b.rule(x)")
    second = module("own_b", "import numba, own_a\n@numba.njit\ndef rule(x): return own_a.loop(x)")
    first.own_b = second

    assert of(first.loop.py_func) == of(first.loop.py_func)


def test_modules_of_a_standard_name_count_if_they_are_another_ones(
    module: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``queue.py`` beside a script."""
    found = set()
    for rate in (1.0, 2.0):
        other = types.ModuleType("queue")
        monkeypatch.setitem(sys.modules, "queue", other)
        other.__file__ = str(tmp_path / "queue.py")
        exec(f"import numba\n@numba.njit\ndef rule(): return {rate}", vars(other))
        user = module("own_a", LOOP.format("queue.rule()"))
        user.queue = other
        found.add(of(user.loop))

    assert len(found) == 2


def test_lines_count(module: Any) -> None:
    """An error that compiled code raises names its line."""
    found = {of(module("own_a", "\n" * n + LOOP.format("1.0")).loop) for n in (0, 1)}

    assert len(found) == 2

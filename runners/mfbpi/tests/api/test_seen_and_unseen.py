"""What an edit of makes another class, and what is no edit: use, another process, a library."""

from __future__ import annotations

import sqlite3
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mfbpi as library
from mfbpi.plan import own
from mfbpi.plan.content import Content
from mfbpi_core import Agent, Environment
from mfbpi_core.errors import MfbpiNote

START = (
    "import array, attrs, collections, functools, gc, math, re, types, weakref\n"
    "import dataclasses, gymnasium, numba, random, torch\n"
    "from numba.experimental import jitclass\nimport numpy as np\n"
    "def f(x=0): return x + {v}\n"
    "class M:\n    def __init__(self, k={v}): self.k = k\n    def f(self, x=0): return {v}\n"
)

#: What a cell defines as K, with a value.
EDITED = {
    "after very much": "L = [(i, 0) for i in range(3 * 10**5)]\nK = (L, {v}, f, L)",
    "value after very much": "K = [(i, [0]) for i in range(3 * 10**5)]\nK[-1][1][0] = {v}",
    "far along links": (
        "N = [M(0) for _ in range(500)]\nfor a, b in zip(N, N[1:]): a.to, b.back = b, a\n"
        "N[-1].k = {v}\nK = N[0]"
    ),
    "deep": "K = {v}\nfor _ in range(5000): K = [K]",
    "deep calls": "def f0(): return {v}\n"
    + "".join(f"def f{i}(): return f{i - 1}()\n" for i in range(1, 200))
    + "K = f199",
    "bound to a dictionary": "K = dict(a={v}).get",
    "bound to a list": "K = [{v}].__getitem__",
    "bound to a text": "K = '{v}'.index",
    "bound to an array": "K = np.array([{v}]).dot",
    "wrapped in an object": (
        "class W:\n    def __init__(self, f, k): functools.update_wrapper(self, f); self.k = k\n"
        "def g(): pass\nK = W(g, {v})"
    ),
    "cached method": "K = functools.cache(M().f)",
    "cached class": "K = functools.cache(M)",
    "default": "K = collections.defaultdict(lambda: {v})",
    "dictionary's attribute": "class D(dict): pass\nK = D()\nK.k = {v}",
    "list's attribute": "class D(list): pass\nK = D()\nK.k = {v}",
    "tuple's attribute": "class D(tuple): pass\nK = D()\nK.k = {v}",
    "set's attribute": "class D(set): pass\nK = D()\nK.k = {v}",
    "array's attribute": "class D(np.ndarray): pass\nK = np.zeros(2).view(D)\nK.k = {v}",
    "property's attribute": "class D(property): k = 0\nK = D()\nK.k = {v}",
    "partial's attribute": "K = functools.partial(max)\nK.k = {v}",
    "pattern": "K = re.compile('{v}')",
    "flags": "K = re.compile('a', 8 * {v})",
    "ufunc": "K = np.frompyfunc(f, 1, 1)",
    "generator": "def g():\n    yield {v}\nK = g()",
    "generator's numbers": "K = (i for i in [{v}])",
    "generator's function": "K = (f(i) for i in [0])",
    "converter of a library": "K = attrs.converters.optional(f)",
    "default of a library": "K = attrs.converters.default_if_none({v})",
    "class of a library's function": "K = dataclasses.make_dataclass('P', [('k', int, {v})])",
    "metaclass": "class T(type):\n    def __call__(cls): return {v}\nclass K(metaclass=T): pass",
    "options of a compiler": "@numba.njit(fastmath={v} == 1)\ndef K(x): return x",
    "compiled callback": "@numba.cfunc('f8(f8)')\ndef K(x): return x * {v}",
    "compiled class": (
        "@jitclass([('k', numba.int64)])\nclass K:\n    def __init__(self): self.k = {v}"
    ),
    "view": "K = memoryview(bytes([{v}]))",
    "weak": "m = M()\nK = weakref.ref(m)",
    "slots": (
        "class S:\n    __slots__ = ('k',)\n    def __reduce_ex__(self, n): raise TypeError\n"
        "K = S()\nK.k = {v}"
    ),
    "hidden from copies": ("class S:\n    def __getstate__(self): return 0\nK = S()\nK.k = {v}"),
    "without a module": "d = {}\nexec('def g(): return {v}', d)\nK = d['g']",
    "by a text": "X = {v}\ndef K(): return globals()['X']",
    "seed": "K = np.random.default_rng({v})",
    "tensor": "K = torch.tensor([{v}.0], dtype=torch.bfloat16)",
    "network": "torch.manual_seed({v})\nK = torch.nn.Linear(2, 2)",
    "environment": "K = gymnasium.make('FrozenLake-v1', is_slippery={v} == 1)",
    "set that leads back": (
        "class N:\n    def __init__(self, up): self.up, self.k, self.below = up, {v}, set()\n"
        "K = N(None)\nK.below = {N(K)}"
    ),
    "sets of sets": (
        "N = [M(i) for i in range(40)]\nfor i, n in enumerate(N): n.near = {N[i - 1], N[i - 7]}\n"
        "N[9].k = -{v}\nK = N[0]"
    ),
    "shared tuples": "K = ({v}, [])\nfor _ in range(60): K = (K, K)",
    "large integer": "K = {v} << 20_000",
    "dictionary with attributes": (
        "class D(dict):\n    __getattr__ = dict.__getitem__\nK = D(k={v})"
    ),
    "key of a comparison": "K = functools.cmp_to_key(lambda a, b: (a - b) * {v})",
    "typed dictionary": "K = numba.typed.Dict()\nK['a'] = {v}",
    "typed list": "K = numba.typed.List([{v}])",
    "vectorised": "@numba.vectorize\ndef K(x): return x * {v}\nK(1)",
    "in the names of a library": "K = eval('lambda: {v}', dict(vars(math)))",
    "name in a text": "X = {v}\ndef K(): return eval('X + 1')",
    "name in a text of the module": "X, E = {v}, 'X + 1'\ndef K(): return eval(E)",
    "what a step changes": (
        "class W(gymnasium.Wrapper):\n    scale = 0\n    def step(self, action):\n"
        "        self.scale *= 0.5\n        return self.env.step(action)\n"
        "K = W(gymnasium.make('FrozenLake-v1'))\nK.scale = {v}"
    ),
    "reward of an environment": (
        "K = gymnasium.wrappers.TransformReward(gymnasium.make('FrozenLake-v1'), lambda r: r * {v})"
    ),
}

#: What a cell defines as K, and how it is used.
USED = {
    "dispatch": (
        "@functools.singledispatch\ndef K(x): return 0\n@K.register\ndef _(x: int): 1",
        "K(1)",
    ),
    "cache": ("@functools.cache\ndef K(x): return x", "K(1)"),
    "generator of numbers": ("K = np.random.default_rng(1)", "K.random()"),
    "numbers of the process": ("K = [random.choice, np.random.rand]", "K[0]([1]), K[1]()"),
    "environment": ("K = gymnasium.make('FrozenLake-v1')", "K.reset(seed=1), K.step(0)"),
    "space": ("K = gymnasium.spaces.Discrete(3)", "K.sample()"),
    "compiled": ("@numba.njit\ndef K(x): return x", "K(1)"),
    "place": ("def K(): return __file__", "globals().update(__file__='b')"),
}


def cell(text: str) -> dict[str, Any]:
    """What a cell of a new notebook defines."""
    held: dict[str, Any] = {"__name__": "a_notebook", "__file__": "a"}
    exec(compile(text, "cell", "exec"), held)
    return held


def digest(value: object) -> str:
    """Of a function that refers to a value."""
    held = Content()
    held.add(eval("lambda: K", {"__name__": "a_notebook", "K": value}))
    assert held.is_whole
    assert not held.unread
    return held.hexdigest()


@pytest.mark.parametrize("what", EDITED)
def test_an_edit_is_seen(what: str) -> None:
    """Another value is another class; the same one, made anew, is not."""
    text = START + EDITED[what]
    cells = [cell(text.replace("{v}", v)) for v in "112"]  # alive, as notebooks are
    one, again, other = (digest(held["K"]) for held in cells)
    assert one == again != other


@pytest.mark.parametrize("what", USED)
def test_use_is_no_edit(what: str) -> None:
    """What is kept between calls is nothing of the user's."""
    defined, use = USED[what]
    held = cell(START.replace("{v}", "1") + defined)
    before = digest(held["K"])
    exec(use, held)
    assert digest(held["K"]) == before


def test_tensors_are_the_same_in_every_process(printed: Callable[..., set[str]]) -> None:
    """They have addresses."""
    program = START.replace("{v}", "1") + (
        "from mfbpi.plan.content import Content\ntorch.manual_seed(0)\n"
        "K = torch.nn.Linear(2, 2), torch.tensor(1.5), {M(2), M(1), f}\n"
        "def g(): return K, __file__, random.random, M\nc = Content()\nc.add(g)\n"
        "print(c.hexdigest())"
    )
    assert len(printed("-c", program)) == 1


def test_a_table_of_transitions_is_quick() -> None:
    """One of 130 x 130 cells, as Gymnasium's are."""
    table = {s: {a: [(1.0, s + a, 0.0, False)] for a in range(4)} for s in range(130**2)}
    begun = time.process_time()
    before = digest(table)
    assert time.process_time() - begun < 2
    table[130**2 - 1][3][0] = (1.0, 0, 1.0, True)
    assert digest(table) != before


class Walk(Environment):
    """Builds its table when it is first needed."""

    n_actions, n_states = 2, 5
    step_length = 1
    _table: Any = None

    def __init__(self, config: object) -> None:
        if Walk._table is None:
            Walk._table = np.arange(10).reshape(5, 2) % 5

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        """Begin on the left."""
        self.state = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Go where the table says."""
        self.state = int(self._table[self.state, action]) * self.step_length % 5
        return self.state, float(self.state == 4), False, False, {}


@pytest.mark.filterwarnings("ignore:exploration of walk")
def test_what_a_run_fills_is_no_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that keeps a table is resumed; another constant is another class all the same."""
    for name, value in (("_table", None), ("step_length", 1)):
        monkeypatch.setattr(Walk, name, value)
    given: dict[str, Any] = {"steps": 20, "executor": "inline", "out": tmp_path / "x"}
    for seeds in (1, 2):
        found = library.environment(Walk) if seeds == 1 else Walk
        library.run("plain", found, range(seeds), if_exists="resume", **given)
    assert Walk._table is not None

    monkeypatch.setattr(Walk, "step_length", 2)
    with pytest.raises(library.UsageError, match="results of other settings"):
        library.run("plain", Walk, range(2), if_exists="resume", **given)


class Opaque(Agent):
    """Refers to what nobody can read."""

    def select_action(self, observation: object) -> int:
        """Look at it."""
        return 0 if CONNECTION is None else 1

    def update(self, transition: object) -> None:
        """Learn nothing."""

    def recommend(self, observation: object) -> int:
        """Recommend the first."""
        return 0


CONNECTION = sqlite3.connect(":memory:")


HOSTILE = {
    "class": "class H:\n    @property\n    def __class__(self): raise ValueError\nK = H()",
    "attributes": "class H:\n    def __getattribute__(self, name): raise KeyError\nK = H()",
    "copies": "class H:\n    def __reduce_ex__(self, n): return None\nK = H()",
    "equality": (
        "class T(type):\n    def __eq__(self, other): return True\n"
        "class H(metaclass=T): pass\nK = H()"
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_objects_do_when_asked_is_no_matter(what: str) -> None:
    """They are told, or cannot be; nothing is raised."""
    held = Content()
    held.add(cell(HOSTILE[what])["K"])

    assert held.is_whole


def test_what_cannot_be_told_is_said() -> None:
    """By its type, and by nothing where all can be told."""
    with pytest.warns(MfbpiNote, match=r"Opaque refers to objects .* sqlite3\.Connection"):
        own.named(Opaque)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own.named(Walk)

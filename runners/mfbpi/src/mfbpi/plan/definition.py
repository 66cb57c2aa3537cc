"""What a class is: of which kind, and which content; equal code and constants give equal digits."""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import marshal
import types
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from mfbpi.plan import beside
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.kinds import KINDS

#: Kinds that need no packaging, and the attributes of a class that its spec takes, with what they
#: are if the class has none.
DECLARED: dict[str, dict[str, Any]] = {
    "agent": {"needs": {"states"}},
    "environment": {},
    "metric": {"needs": frozenset(), "columns": ()},
    "bound": {},
    "stopping_rule": {"guarantee": "none", "exact": True},
}

#: Digits of the hash in names.
_DIGITS = 16

#: Values that say what they are, beside functions, classes and collections.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def digest(content: bytes) -> str:
    """The digits that stand for some content."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def definition(defined: type, contract: type) -> bytes:
    """What a class does: its functions and constants, those that it inherits, below a contract.

    That is also what its functions refer to by name, in the module or notebook of the class: other
    functions and classes, and data; and the sources of other modules of the user's.
    """
    known = _Known()
    classes = defined.__mro__[: defined.__mro__.index(contract)]
    told = [part for each in classes for part in _of_class(each, defined.__module__, known)]
    others = known.modules.union(each.__module__ for each in classes) - {defined.__module__}
    return b"".join([defined.__name__.encode(), *told, *beside.contents(others)])


@attrs.define
class _Known:
    """What was told already, and the modules of what is not told here."""

    ids: set[int] = attrs.field(factory=set)
    modules: set[str] = attrs.field(factory=set)

    def is_new(self, told: object) -> bool:
        """Whether it was not told; it is from now on."""
        new = id(told) not in self.ids
        self.ids.add(id(told))
        return new


def _of_class(told: type, home: str, known: _Known) -> Iterator[bytes]:
    for name, member in vars(told).items():
        for function in _functions(member):
            yield from _of_function(function, home, known)
        if not name.startswith("__"):
            yield from _of_data(name, member)


def _of_function(function: types.FunctionType, home: str, known: _Known) -> Iterator[bytes]:
    if not known.is_new(function):
        return
    known.modules.update(_imported(function.__code__))
    code = _without_place(function.__code__)
    yield marshal.dumps(code, 2)  # version 2 of the format depends on the values alone
    yield from _of_data("defaults", (function.__defaults__, function.__kwdefaults__))
    for name, found in sorted(_named(function).items()):
        value = getattr(found, "py_func", found)  # of a compiled one
        module = value.__name__ if isinstance(value, types.ModuleType) else _module_of(value)
        if module != home:
            known.modules.add(module)
            yield from _of_data(name, value)
        elif isinstance(value, types.FunctionType):
            yield from _of_function(value, home, known)
        elif isinstance(value, type) and known.is_new(value):
            yield from _of_class(value, home, known)


def _module_of(value: object) -> str:
    """The module that a function, a class or an object comes from."""
    named = getattr(value, "__module__", None)
    return named if isinstance(named, str) else ""


def _imported(code: types.CodeType) -> Iterator[str]:
    """What a function imports when it is called."""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME" and isinstance(step.argval, str):
            yield step.argval


def _named(function: types.FunctionType) -> dict[str, object]:
    """What a function refers to by name, beside what Python itself has."""
    try:
        named = inspect.getclosurevars(function)
    except ValueError:  # of a variable that has no value yet
        return {}
    return {**named.globals, **named.nonlocals}


def _of_data(name: str, value: object) -> Iterator[bytes]:
    try:
        shown = _shown(value)
    except RecursionError:  # of a list in itself
        return
    if shown is not None:
        yield f"{name}={shown}".encode(errors="surrogatepass")


def _shown(value: object) -> str | None:
    """Data as a text, the same in every process; None for what is none."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, list | tuple | set | frozenset):
        return None
    items = [_shown(each) or type(each).__qualname__ for each in value]
    return repr(sorted(items) if isinstance(value, set | frozenset) else items)


def _functions(member: object) -> Iterator[types.FunctionType]:
    """The functions behind a member of a class."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    elif isinstance(member, functools.cached_property):
        member = member.func
    behind = (member.fget, member.fset) if isinstance(member, property) else (member,)
    yield from (each for each in behind if isinstance(each, types.FunctionType))


def _without_place(code: types.CodeType) -> types.CodeType:
    """The code without its file and its lines, which differ between runs of one notebook."""
    constants = tuple(
        _without_place(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_consts=constants)


def kind_of(found: object, shown: str = "") -> str:
    """The kind of a class; ``shown`` begins the message about what is none.

    Raises:
        UsageError: when it is no plugin.
    """
    for kind in DECLARED:
        if isinstance(found, type) and issubclass(found, base(kind)):
            return kind
    raise UsageError(f"{shown}{found!r}; expected a class derived from one of {bases(', ')}")


def bases(between: str) -> str:
    """The names of the contracts that a class may be derived from."""
    return between.join(base(kind).__name__ for kind in DECLARED)


def is_plugin(found: object) -> bool:
    """Whether it is a class derived from one of them."""
    contracts = tuple(base(kind) for kind in DECLARED)
    return isinstance(found, type) and issubclass(found, contracts) and found not in contracts


def base(kind: str) -> type:
    """The contract of a kind."""
    contract = KINDS[kind].factory.contract
    assert contract is not None
    return contract

"""What a class of the user's does: a digest of its code, and of all values that this can reach.

Code and values are those in memory. What is installed counts by its name: results say its version.
Equal code and values give equal digits in every process, and wherever their lines are.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from mfbpi.plan import beside

#: Values that their text tells all of.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))

#: Values that hold others, in an order or in none.
_COLLECTIONS = (list, tuple, set, frozenset)

#: What is told wherever it occurs: of these, who is the same as whom is nobody's doing.
_WITHOUT_IDENTITY = (tuple, frozenset, types.CodeType)

#: Of a class, what says nothing of what it does.
_ASIDE = {
    *("__dict__", "__doc__", "__module__", "__qualname__", "__weakref__"),
    *("_abc_impl", "__static_attributes__", "__firstlineno__"),
}

#: Values that are told at most, and how deep they may lie in each other.
_MOST, _DEEPEST = 200_000, 80


class Content:
    """A digest of values, and of all that they refer to, each once: circles end.

    Attributes:
        modules: names of the user's, of what was added and of what functions import.
    """

    def __init__(self, depth: int = 0) -> None:
        self.modules: set[str] = set()
        self._hash = hashlib.sha256()
        self._seen: dict[int, tuple[int, object]] = {}
        self._told, self._depth = 0, depth

    def hexdigest(self) -> str:
        """The digest of all that was added."""
        return self._hash.hexdigest()

    def add(self, value: Any) -> None:
        """Add a value."""
        self._told += 1
        if type(value) in _PLAIN:
            self._write(type(value).__name__, repr(value))
        elif id(value) in self._seen:
            self._write("again", str(self._seen[id(value)][0]))
        elif self._told > _MOST or self._depth > _DEEPEST:
            self._write("more")
        else:
            if not isinstance(value, _WITHOUT_IDENTITY):
                self._seen[id(value)] = len(self._seen), value  # kept alive: its id is its own
            self._depth += 1
            self._write(type(value).__qualname__)
            self._add_new(value)
            self._depth -= 1

    def _add_new(self, value: Any) -> None:
        if isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, types.ModuleType):
            self._write(value.__name__)
        elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            self._write(str(value.dtype.descr), str(value.shape), value.tobytes().hex())
        elif isinstance(value, _COLLECTIONS) and all(type(each) in _PLAIN for each in value):
            shown = map(repr, value)  # long ones quickly, and all of them
            self._write(*(shown if isinstance(value, list | tuple) else sorted(shown)))
        elif isinstance(value, set | frozenset):
            self._write(*sorted(map(self._alone, value)))
        else:
            self._add_all(_parts(value))

    def _alone(self, value: Any) -> str:
        """The digest of an element of a set, whichever comes before it in this process."""
        content = Content(self._depth + 1)
        content.add(value)
        self.modules |= content.modules
        return content.hexdigest()

    def _add_all(self, values: Iterable[Any]) -> None:
        for each in values:
            self.add(each)

    def _add_code(self, code: types.CodeType) -> None:
        """All but its file and its lines, which differ between runs of one notebook."""
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        self._write(code.co_name, *map(str, (*names, *counts)))
        self._write(code.co_code.hex(), code.co_exceptiontable.hex())
        self._add_all(code.co_consts)

    def _add_function(self, function: types.FunctionType) -> None:
        self._write(function.__qualname__)
        if _is_known(function.__module__) or _is_generated(function):
            self._write(str(function.__module__))
            return
        self.modules.add(function.__module__)
        code, known = function.__code__, function.__globals__
        self._add_all((code, function.__defaults__, function.__kwdefaults__, vars(function)))
        self._add_all(map(_held, function.__closure__ or ()))
        self.modules.update(_imported(code))
        for name in _loaded(code):
            value = known.get(name)
            self.add(value)
            if isinstance(value, types.ModuleType):
                self._add_module(value, _mentioned(code), {id(value)})

    def _add_module(self, module: types.ModuleType, names: Iterable[str], above: set[int]) -> None:
        """What a function can mean by ``module.name``, and by ``module.other.name``."""
        if _is_known(module.__name__):
            return
        for name in names:
            value = vars(module).get(name)
            self.add(value)
            if isinstance(value, types.ModuleType) and id(value) not in above:
                self._add_module(value, names, {*above, id(value)})

    def _add_class(self, kind: type) -> None:
        self._write(kind.__qualname__)
        if _is_known(kind.__module__):
            self._write(kind.__module__)
            return
        self.modules.add(kind.__module__)
        self._add_all(kind.__bases__)
        for name, value in sorted(vars(kind).items()):
            if name not in _ASIDE:
                self._write(name)
                self.add(value)

    def _write(self, *texts: str) -> None:
        """Write texts, with their lengths: no two sequences are the same."""
        for text in texts:
            encoded = text.encode(errors="surrogatepass")
            self._hash.update(b"%d:" % len(encoded) + encoded)


def _is_known(module: object) -> bool:
    """Whether a module is installed: its version tells all."""
    return isinstance(module, str) and not beside.is_users(module)


def _is_generated(function: types.FunctionType) -> bool:
    """Whether attrs wrote it: the fields tell all, and its hash has a number of this process."""
    return function.__code__.co_filename.startswith("<attrs generated")


def _parts(value: Any) -> Iterator[Any]:
    """What a value is made of."""
    if isinstance(value, dict | types.MappingProxyType):
        yield type(value)
        yield from (part for item in value.items() for part in item)
    elif isinstance(value, tuple | list):
        yield type(value)
        yield from value
    elif isinstance(value, staticmethod | classmethod | types.MethodType):
        yield from (value.__func__, getattr(value, "__self__", None))
    elif isinstance(value, property):
        yield from (value.fget, value.fset, value.fdel)
    elif isinstance(value, functools.cached_property):
        yield value.func
    elif isinstance(value, functools.partial | functools.partialmethod):
        yield from (value.func, value.args, value.keywords)
    else:
        yield type(value)
        yield from _within(value)


def _within(value: Any) -> Iterator[Any]:
    """The function behind one that wraps it; of another object, what a copy would be made of."""
    for name in ("__wrapped__", "py_func"):  # of a cache, and of numba
        function = getattr(value, name, None)
        if isinstance(function, types.FunctionType):
            yield function
            return
    if isinstance(value, types.BuiltinFunctionType | types.WrapperDescriptorType):
        yield value.__qualname__
        return
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:  # what cannot be copied, such as a lock
        yield from sorted(getattr(value, "__dict__", {}).items())
        return
    if isinstance(reduced, str):
        yield reduced
        return
    made, arguments, *rest = reduced
    yield from (made, arguments)
    yield from (list(part) if isinstance(part, Iterator) else part for part in rest)


def _held(cell: Any) -> Any:
    """What a cell of a closure holds, None before it holds anything."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _inner(code: types.CodeType) -> list[types.CodeType]:
    """The code itself and that of functions within it, comprehensions and lambdas too."""
    within = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return [code, *(each for part in within for each in _inner(part))]


def _loaded(code: types.CodeType) -> list[str]:
    """The names that a function reads from its module."""
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    steps = (step for part in _inner(code) for step in dis.get_instructions(part))
    return sorted({str(step.argval) for step in steps if step.opname in reading})


def _mentioned(code: types.CodeType) -> list[str]:
    """All names in it, such as those of attributes."""
    return sorted({name for part in _inner(code) for name in part.co_names})


def _imported(code: types.CodeType) -> set[str]:
    """What a function imports when it is called."""
    steps = (step for part in _inner(code) for step in dis.get_instructions(part))
    return {str(step.argval) for step in steps if step.opname == "IMPORT_NAME"}

"""What a class of the user's does: a digest of its code, and of all values that this can reach.

Code and values are those in memory. What is installed counts by its name: results say its version.
Equal code and values give equal digits in every process, and wherever their lines are. The order
of a dictionary counts, for code can see it; that of a set does not.
"""

from __future__ import annotations

import functools
import hashlib
import marshal
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from mfbpi.plan import bytecode, known, plain
from mfbpi.plan.parts import beside, parts

#: What comes before all other values, for it refers to them.
_CODE = (types.CodeType, types.FunctionType, types.MethodType, type)

#: Of a class, what says nothing of what it does.
_ASIDE = {
    *("__dict__", "__doc__", "__module__", "__qualname__", "__weakref__"),
    *("_abc_impl", "__static_attributes__", "__firstlineno__"),
    *("_value2member_map_", "_hashable_values_", "_unhashable_values_"),  # filled by use
}

#: Values that are told at most; plain data in plain collections does not count.
_MOST = 500_000

#: What ``functools.singledispatch`` makes.
_DISPATCH = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


class Content:
    """A digest of values, and of all that they refer to, each once: circles end.

    Attributes:
        modules: names of the user's, of what was added and of what functions import.
        unread: types of values that were reached and could not be told.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.unread: set[str] = set()
        self._hash = hashlib.sha256()
        self._seen: dict[int, tuple[int, object]] = {}
        self._mixed: dict[int, Any] = {}
        self._code, self._data = deque[Any](), deque[Any]()
        self._left = _MOST
        self._is_known = functools.cache(known.is_known)

    def hexdigest(self) -> str:
        """The digest of all that was added."""
        return self._hash.hexdigest()

    def add(self, value: Any) -> None:
        """Add a value, and whatever it leads to; code is told before data."""
        self._refer(value)
        while self._code or self._data:
            each = (self._code or self._data).popleft()
            self._left -= 1
            if self._left < 0:
                self._write("more")
                self._code.clear()
                self._data.clear()
            else:
                self._tell(each)

    @property
    def is_whole(self) -> bool:
        """Whether all was told."""
        return self._left >= 0

    def _refer(self, value: Any) -> None:
        """Write a plain value, or which of all values it is; those are told later."""
        if type(value) in plain.PLAIN:
            self._write(plain.text(value))
        elif id(value) in self._seen:
            self._write("again", str(self._seen[id(value)][0]))
        else:
            self._number(value)
            self._write("new")
            is_code = issubclass(type(value), _CODE)  # whatever it says of its class
            (self._code if is_code else self._data).append(value)

    def _number(self, value: Any) -> None:
        """Give it a number, but not where Python decides which of equal values are one."""
        if type(value) is not types.CodeType and not plain.is_flat(value):
            self._seen[id(value)] = len(self._seen), value  # kept alive: its id is its own

    def _refer_all(self, values: Iterable[Any]) -> None:
        for each in values:
            self._refer(each)

    def _tell(self, value: Any) -> None:
        self._write(type(value).__qualname__)
        try:
            if isinstance(value, types.CodeType):
                self._tell_code(value)
            elif isinstance(value, types.FunctionType):
                self._tell_function(value)
            elif isinstance(value, type):
                self._tell_class(value)
            elif isinstance(value, types.ModuleType):
                self._write(value.__name__)
                self._draw_on(value.__name__)
            elif isinstance(value, types.GeneratorType):
                self._tell_generator(value)
            elif isinstance(value, set | frozenset):
                self._tell_set(value)
            else:
                self._tell_data(value)
        except Exception:  # of what is the user's, or tells nothing: hostile, half made, or gone
            self.unread.add(f"{type(value).__module__}.{type(value).__qualname__}")

    def _tell_data(self, value: Any) -> None:
        if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            self._write(str(value.dtype.descr), str(value.shape))
            self._write_bytes(value.tobytes())
            if type(value) is not np.ndarray and not isinstance(value, np.memmap | np.generic):
                self._refer_all((type(value), *beside(value)))
            return
        told = self._as_plain(value)
        if told is None:
            self._refer_all(parts(value))
            self._write("end")
        else:
            self._write_bytes(told)

    def _as_plain(self, value: Any) -> bytes | None:
        """All of collections of plain values, or None where there is anything else in them.

        Tables of transitions are such: a million values, quickly.
        """
        within: dict[int, Any] = {}
        try:
            if id(value) in self._mixed or not plain.is_plain(value, within, self._seen):
                raise ValueError
            text = marshal.dumps(value, 2)  # 2: tells nothing of who is the same
        except ValueError:  # too deep for it
            self._mixed |= within
            return None
        for each in within.values():
            if each is not value:
                self._number(each)
        return text

    def _tell_set(self, value: Any) -> None:
        """In an order that does not hang on where this process keeps the elements.

        Elements that are alike as far as is looked for their order may change places: that is
        another set then, and nothing is taken for what it is not.
        """
        self._write(str(len(value)))
        if all(type(each) in plain.PLAIN for each in value):
            self._write(*sorted(map(plain.text, value)))
        else:
            self._refer_all(sorted(value, key=plain.place))
        self._refer_all(beside(value))

    def _tell_code(self, code: types.CodeType) -> None:
        """All but its file and its lines, which differ between runs of one notebook."""
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        self._write(code.co_name, *map(str, (*names, *counts)))
        self._write_bytes(code.co_code)
        self._write_bytes(code.co_exceptiontable)
        self._refer_all(code.co_consts)

    def _tell_function(self, function: types.FunctionType) -> None:
        self._write(function.__qualname__)
        home = known.home(function)
        if known.is_importable(function) or known.is_generated(function):
            self._write(str(function.__module__))
            return
        if function.__code__ is _DISPATCH:  # what else it holds is a cache
            self._refer_all((function.__wrapped__, function.registry))  # type: ignore[attr-defined]
            return
        self._refer_all((function.__defaults__, function.__kwdefaults__, vars(function)))
        self._refer_all(map(_held, function.__closure__ or ()))
        if self._is_known(home) and known.is_written_there(function):
            self._write(str(home), function.__code__.co_name)
            return
        self._draw_on(home)
        self._tell_within(function.__code__, function.__globals__)

    def _tell_generator(self, value: types.GeneratorType[Any, Any, Any]) -> None:
        """Its code and what this has at hand; of one that has ended, its code."""
        frame = value.gi_frame
        self._tell_within(value.gi_code, frame.f_globals if frame else {})
        self._refer_all((frame.f_lasti, frame.f_locals) if frame else ())

    def _tell_within(self, code: types.CodeType, names: dict[str, Any]) -> None:
        """Code, and what it means by the names that it reads."""
        self._refer(code)
        read = bytecode.loaded(code)
        texts = [value for name in read if type(value := names.get(name)) is str]
        self.modules.update(bytecode.imported(code, texts))
        for name in sorted(read | bytecode.loaded_by(texts, code)):
            value = names.get(name)
            self._refer(value)
            if isinstance(value, types.ModuleType):
                self._tell_module(value, bytecode.mentioned(code), {id(value)})

    def _tell_module(self, module: types.ModuleType, names: Iterable[str], above: set[int]) -> None:
        """What a function can mean by ``module.name``, and by ``module.other.name``."""
        if self._is_known(module.__name__):
            return
        for name in names:
            value = vars(module).get(name)
            self._refer(value)
            if isinstance(value, types.ModuleType) and id(value) not in above:
                self._tell_module(value, names, {*above, id(value)})

    def _draw_on(self, module: object) -> None:
        """Say that a module counts, if it is the user's."""
        if isinstance(module, str) and not self._is_known(module):
            self.modules.add(module)

    def _tell_class(self, kind: type) -> None:
        self._write(kind.__qualname__, str(kind.__module__))
        if known.is_known_class(kind):
            return
        self._draw_on(kind.__module__)
        self._refer_all((type(kind), *kind.__bases__))
        for name, value in sorted(vars(kind).items()):
            if name not in _ASIDE:
                self._write(name)
                self._refer(value)

    def _write(self, *texts: str) -> None:
        """Write texts, with their lengths: no two sequences are the same."""
        for text in texts:
            self._write_bytes(text.encode(errors="surrogatepass"))

    def _write_bytes(self, content: bytes) -> None:
        self._hash.update(b"%d:" % len(content))
        self._hash.update(content)


def _held(cell: Any) -> Any:
    """What a cell of a closure holds, None before it holds anything."""
    try:
        return cell.cell_contents
    except ValueError:
        return None

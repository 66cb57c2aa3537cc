"""Modules that were edited after this process had imported them: a run would mix both.

Workers import what the files hold now, and results are known by that.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import marshal
import os
import struct
import sys
import types
from collections.abc import Iterable
from pathlib import Path

from mfbpi.plan import whose
from mfbpi_core.errors import UsageError

#: Of each module that was seen imported: its spec, another after a reload, and what its files held.
_imported_as: dict[str, tuple[object, str]] = {}

#: What a file of bytecode begins with: a number of its format, flags, and when its source was
#: written, and how long that is.
_HEADER = struct.Struct("<4sLLL")


def refuse(name: str, held: Iterable[bytes]) -> None:
    """Refuse a module of the user's that was edited after its import, unless it was reloaded.

    Args:
        name: its outermost name.
        held: what its files hold now.

    Raises:
        UsageError: with what to do.
    """
    module = sys.modules.get(name)
    if module is None or not whose.is_users(name):
        return
    now = hashlib.sha256(b"".join(held)).hexdigest()
    spec, before = _imported_as.get(name, (None, now))
    if (spec is module.__spec__ and before != now) or any(map(_was_edited, _within(name))):
        raise UsageError(
            f"the module {name} was edited after this process had imported it, and a run would "
            f"mix both; restart the session, or import it again: importlib.reload({name})"
        )
    _imported_as[name] = module.__spec__, now


def _within(name: str) -> list[types.ModuleType]:
    """The modules that are imported of a package, itself too."""
    there = list(sys.modules.items())
    return [module for key, module in there if key == name or key.startswith(f"{name}.")]


def _was_edited(module: types.ModuleType) -> bool:
    """Whether a source is another than when it was imported, by the bytecode that this wrote.

    Where nothing tells, as where no bytecode is written, it counts as unedited.
    """
    spec = module.__spec__
    if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
        return False
    if sys.dont_write_bytecode or spec.origin is None or spec.cached is None:
        return False
    try:
        bytecode, about = Path(spec.cached).read_bytes(), Path(spec.origin).stat()
        _, flags, written, size = _HEADER.unpack_from(bytecode)
        now = int(about.st_mtime) & 0xFFFFFFFF, about.st_size & 0xFFFFFFFF
        if flags or now == (written, size) or not os.access(spec.cached, os.W_OK):
            return False  # known by a hash, unedited, or of an earlier import
        source = Path(spec.origin).read_bytes()
        # One that was only touched, or written again as it was, is no other.
        code = spec.loader.source_to_code(source, spec.origin)
        return bool(code != marshal.loads(bytecode[_HEADER.size :]))
    except (OSError, ValueError, EOFError, TypeError, struct.error):  # half written
        return False
    except SyntaxError:
        return True

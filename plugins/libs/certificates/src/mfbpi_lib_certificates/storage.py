"""Certificates as files: JSON, with large arrays in an .npz beside it, named by its hash."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import UsageError
from mfbpi_lib_certificates.certificate import SCHEMA, Certificate
from mfbpi_lib_certificates.plain import Fields

#: Arrays above this many bytes do not go into the JSON.
LARGEST_IN_JSON = 64 * 1024

#: Larger files are not read: those of honest certificates are far smaller, and hostile ones may
#: be of any size. The JSON, and the arrays before and after compression.
LARGEST_JSON, LARGEST_ARRAYS = 2**24, 2**30

#: Key of what stands in the JSON for an array that is elsewhere.
ELSEWHERE = "npz"

#: Fields that hold arrays; only these, and witnesses, may be elsewhere.
_ARRAYS = {"terminal", "start", "row_starts", "outcomes", "counts", "rewards", "known_rewards"} | {
    "policy",
    "gap",
}


class UnreadableError(UsageError):
    """The file is no certificate, or a part of it is missing."""


def contents(certificate: Certificate) -> dict[str, bytes]:
    """The files of a certificate: that named "" is the JSON, others are named as they must be."""
    plain = attrs.asdict(certificate, recurse=False)
    large: dict[str, npt.NDArray[Any]] = {}
    _move(plain, "", large)
    plain["witnesses"] = dict(certificate.witnesses)
    _move(plain["witnesses"], "witnesses.", large)
    files: dict[str, bytes] = {}
    name = None
    if large:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **large)  # type: ignore[arg-type]
        name = f"{hashlib.sha256(buffer.getvalue()).hexdigest()}.npz"
        files[name] = buffer.getvalue()
    text = json.dumps({"schema": SCHEMA, "arrays": name, **_listed(plain)}, allow_nan=False)
    return {"": f"{text}\n".encode(), **files}


def _move(plain: Fields, prefix: str, large: dict[str, npt.NDArray[Any]]) -> None:
    """Move large arrays out, in place."""
    for key, value in plain.items():
        if isinstance(value, np.ndarray) and value.nbytes > LARGEST_IN_JSON:
            large[prefix + key] = value
            plain[key] = {ELSEWHERE: prefix + key}


def _listed(value: object) -> Any:
    """Arrays, tuples and numpy numbers as JSON has them."""
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_listed(each) for each in value] if isinstance(value, list | tuple) else value


def write(certificate: Certificate, path: Path) -> None:
    """Write a certificate; its arrays go first, so that a JSON is never without them.

    Raises:
        ValueError: when a number is not finite.
        OSError: when it cannot be written.
    """
    files = contents(certificate)
    text = files.pop("")
    for name, data in files.items():
        (path.parent / name).write_bytes(data)
    path.write_bytes(text)


def read(path: Path) -> Fields:
    """The fields of a certificate, arrays in their places; nothing in it is believed yet.

    Raises:
        UnreadableError: when the file, or what it refers to, cannot be read.
    """
    try:
        fields = json.loads(_limited(path, LARGEST_JSON), object_pairs_hook=_once)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no JSON"
        raise UnreadableError(f"{path}: {reason}; expected a certificate") from error
    if not isinstance(fields, dict) or fields.get("schema") != SCHEMA:
        given = fields.get("schema") if isinstance(fields, dict) else None
        raise UnreadableError(f"{path}: its schema is {given!r}; expected {SCHEMA!r}")
    arrays = _arrays(path, fields.get("arrays"))
    _put_back(fields, _ARRAYS, arrays, path)
    witnesses = fields.get("witnesses")
    if isinstance(witnesses, dict):
        _put_back(witnesses, set(witnesses), arrays, path)
    return fields


def _limited(path: Path, most: int) -> bytes:
    """The content of a file, if it is not too large.

    Raises:
        UnreadableError: if it is, or is no file: a pipe would wait for its other end.
    """
    # A pipe that nobody writes to opens at once with O_NONBLOCK, which files ignore.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _flags: os.open(name, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UnreadableError(
                f"{path} is no regular file; expected a certificate or its arrays"
            )
        return within(file.read(most + 1), path, most)


def within(data: bytes, name: object, most: int) -> bytes:
    """What was read of a file, up to one byte more than may be, if it is not too large.

    Args:
        data: the bytes.
        name: of the file, in messages.
        most: how many there may be.

    Raises:
        UnreadableError: if there are more.
    """
    if len(data) > most:
        raise UnreadableError(
            f"{name} is larger than {most >> 20} MiB; no certificate that can be verified is"
        )
    return data


def _once(pairs: list[tuple[str, Any]]) -> Fields:
    """An object whose names stand once each: of two, other readers may take the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _arrays(path: Path, name: Any) -> dict[str, npt.NDArray[Any]]:
    """The arrays beside a certificate, if their hash is the one that it names."""
    if name is None:
        return {}
    if not isinstance(name, str) or Path(name).name != name:
        raise UnreadableError(f"{path}: `arrays` is {name!r}; expected the name of a file beside")
    try:
        data = _limited(path.parent / name, LARGEST_ARRAYS)
        if f"{hashlib.sha256(data).hexdigest()}.npz" != name:
            raise UnreadableError(f"{path}: {name} is not what its name, a hash, says")
        if not zipfile.is_zipfile(io.BytesIO(data)):
            raise UnreadableError(f"{path}: {name} holds no arrays")
        _check_unpacked(path, data)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return dict(archive)
    except UnreadableError:
        raise
    except OSError as error:
        reason = error.strerror or "no arrays"
        raise UnreadableError(f"{path}: its arrays, {name!a}: {reason}") from error
    except Exception as error:  # numpy, zipfile and zlib raise a dozen kinds on hostile bytes
        raise UnreadableError(f"{path}: {name!a} holds no arrays") from error


def _check_unpacked(path: Path, data: bytes) -> None:
    """Refuse an archive that holds far more than it takes; raises :class:`UnreadableError`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        total = sum(each.file_size for each in archive.infolist())
    if total > LARGEST_ARRAYS:
        raise UnreadableError(
            f"{path}: its arrays take more than {LARGEST_ARRAYS >> 20} MiB; no certificate that "
            "can be verified has so many"
        )


def _put_back(
    place: Fields, keys: set[str], arrays: dict[str, npt.NDArray[Any]], path: Path
) -> None:
    """Put arrays where the JSON says that they belong, in place, for keys that may hold some."""
    for key in keys & set(place):
        value = place[key]
        if isinstance(value, dict) and set(value) == {ELSEWHERE}:
            name = value[ELSEWHERE]
            if not isinstance(name, str) or name not in arrays:
                raise UnreadableError(f"{path}: no array {name!r} beside it, for `{key}`")
            place[key] = arrays[name]

"""State dictionaries as files: a tree of plain data becomes JSON and arrays, without pickle.

What a tree may consist of is told by :mod:`mfbpi_core.running.state`.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_core.running.generators import generator, state_with_seeds
from mfbpi_core.running.state import PLAIN, as_array

#: Key of the dictionaries that stand for what JSON lacks.
_MARK = "__mfbpi__"

#: Name of the JSON text among the arrays.
_TREE = "tree"

Arrays = dict[str, Array]


def to_bytes(tree: Any, *, compressed: bool = False) -> bytes:
    """Encode a tree; compressed for files that stay, since buffers are often empty in part.

    Raises:
        CheckpointError: naming the type that cannot be saved and where it is.
    """
    arrays: Arrays = {}
    text = json.dumps(_encode(tree, arrays, ""))
    buffer = io.BytesIO()
    write = np.savez_compressed if compressed else np.savez
    write(buffer, **{_TREE: np.array(text)}, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """Decode what :func:`to_bytes` wrote."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return _decode(json.loads(str(arrays[_TREE])), arrays)


def _encode(value: object, arrays: Arrays, where: str) -> object:
    if type(value) in PLAIN:
        return value
    if type(value) is list:
        return [_encode(item, arrays, f"{where}[{i}]") for i, item in enumerate(value)]
    if type(value) is tuple:
        return {_MARK: "tuple", "items": _encode(list(value), arrays, where)}
    if isinstance(value, dict):
        items = [
            [_encode(k, arrays, where), _encode(v, arrays, f"{where}.{k}")]
            for k, v in value.items()
        ]
        return {_MARK: "dict", "items": items}
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return _encode_generator(value, arrays, where)
    return _encode_array(value, arrays, where)


def _encode_generator(
    value: np.random.Generator | np.random.RandomState, arrays: Arrays, where: str
) -> Any:
    kind = "random_state" if isinstance(value, np.random.RandomState) else "generator"
    state = state_with_seeds(value, where)
    return {_MARK: kind, "state": _encode(state, arrays, where)}


def _encode_array(value: object, arrays: Arrays, where: str) -> object:
    """Arrays, numbers of numpy, and what converts itself to an array."""
    array = as_array(value, where)
    name = f"array{len(arrays)}"
    arrays[name] = array
    return {_MARK: "scalar" if isinstance(value, np.generic) else "array", "name": name}


def _decode(value: object, arrays: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value[_MARK]
    if kind in ("array", "scalar"):
        array = arrays[value["name"]]
        return array if kind == "array" else array[()]
    if kind == "tuple":
        return tuple(_decode(value["items"], arrays))
    if kind == "dict":
        return {_decode(k, arrays): _decode(v, arrays) for k, v in value["items"]}
    return generator(_decode(value["state"], arrays))

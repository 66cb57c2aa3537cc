"""State dictionaries as files: a tree of plain data becomes JSON and arrays, without pickle.

A tree consists of dictionaries, lists, tuples, numbers, texts, None, numpy arrays, numpy random
generators, and arrays of other libraries that convert themselves, such as tensors; these come
back as numpy arrays.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import CheckpointError

#: Key of the dictionaries that stand for what JSON lacks.
_MARK = "__mfbpi__"

#: Name of the JSON text among the arrays.
_TREE = "tree"

#: What a file may ask for by name: numpy's own bit generators and nothing else.
_BITS: dict[str, type[np.random.BitGenerator]] = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}

Arrays = dict[str, npt.NDArray[Any]]


def to_bytes(tree: Any) -> bytes:
    """Encode a tree.

    Raises:
        CheckpointError: naming the type that cannot be saved and where it is.
    """
    arrays: Arrays = {}
    text = json.dumps(_encode(tree, arrays, ""))
    buffer = io.BytesIO()
    np.savez(buffer, **{_TREE: np.array(text)}, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """Decode what :func:`to_bytes` wrote."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return _decode(json.loads(str(arrays[_TREE])), arrays)


def _encode(value: Any, arrays: Arrays, where: str) -> Any:
    if value is None or type(value) in (bool, int, float, str):
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
    if isinstance(value, np.random.RandomState):
        state: Any = value.get_state(legacy=False)
        return {_MARK: "random_state", "state": _encode(state, arrays, where)}
    return {_MARK: "generator", "state": _encode(value.bit_generator.state, arrays, where)}


def _encode_array(value: Any, arrays: Arrays, where: str) -> Any:
    """Arrays, numbers of numpy, and what converts itself to an array."""
    convertible = isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__")
    array = np.asarray(value) if convertible else np.array(None)
    if array.dtype.hasobject:
        raise CheckpointError(
            f"the state holds a {type(value).__qualname__} at {where or 'its top'}; expected plain "
            "data and arrays (override state_dict and load_state_dict to save it)"
        )
    name = f"array{len(arrays)}"
    arrays[name] = array
    return {_MARK: "scalar" if isinstance(value, np.generic) else "array", "name": name}


def _decode(value: Any, arrays: Any) -> Any:
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
    return _decode_generator(kind, _decode(value["state"], arrays))


def _decode_generator(kind: str, state: Any) -> np.random.Generator | np.random.RandomState:
    if kind == "random_state":
        legacy = np.random.RandomState()
        legacy.set_state(state)
        return legacy
    bits = _BITS[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)

"""Classes of a session as bytes: by their value, with what they use, for none can import them."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any

import cloudpickle

from mfbpi.plan import whose

#: What ``functools.cache`` and ``functools.lru_cache`` make.
_Cached: Any = type(functools.cache(len))


def packed(value: object) -> bytes:
    """The bytes from which ``pickle.loads`` makes the value again, without what caches hold."""
    content = io.BytesIO()
    _Pickler(content).dump(value)
    return content.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle has no types
    """Sends a cached function of a session as well, which pickles by its name alone otherwise."""

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not _Cached or not whose.is_of_session(obj.__module__):
            return super().reducer_override(obj)
        # The function comes later, for it may call what is cached.
        return _cached, (obj.cache_parameters(),), obj.__wrapped__, None, None, _completed


def _cached(parameters: dict[str, Any]) -> Callable[..., Any]:
    """What is cached by these parameters, of a function that is not there yet."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return call.function(*args, **kwargs)  # type: ignore[attr-defined]

    return functools.lru_cache(**parameters)(call)


def _completed(cached: Any, function: Callable[..., Any]) -> None:
    cached.__wrapped__.function = function
    functools.update_wrapper(cached, function)

"""What builds a plugin: its signature and its contract, told before anything is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs

from mfbpi_core.contracts.parameters import check_fields
from mfbpi_core.errors import PluginError
from mfbpi_core.text import articled


def _no_check(_name: str, _built: Any) -> None:
    """Nothing more to refuse."""


@attrs.frozen(kw_only=True)
class Factory:
    """What builds something that a plugin names: a class, or a function.

    Attributes:
        of: what it builds, for messages.
        arguments: what it is called with.
        contract: the class that what it builds belongs to; None where that is data, which the
            caller checks.
        check: refuses, with the import string for messages, what belongs to the contract's class
            and is not sound.
    """

    of: str
    arguments: tuple[str, ...]
    contract: type | None = None
    check: Callable[[str, Any], None] = _no_check

    def check_factory(self, name: str, factory: object, *keywords: str) -> None:
        """Refuse what cannot build it.

        Args:
            name: the import string, for messages.
            factory: what it names: a class that fulfils the contract, or a function that builds
                one.
            keywords: of what it is handed besides, by name.

        Raises:
            PluginError: saying what it is and what was expected.
        """
        if not callable(factory):
            raise PluginError(f"{name} is {factory!r}; expected a class or function")
        if self.contract is not None and isinstance(factory, type):
            _check_class(name, factory, self.contract)
        try:
            inspect.signature(factory).bind(*self.arguments, **dict.fromkeys(keywords))
        except TypeError as error:
            called = ", ".join((*self.arguments, *(f"{keyword}=..." for keyword in keywords)))
            raise PluginError(
                f"{name} cannot be called with ({called}), as the factory of "
                f"{articled(self.of)} is: {error}"
            ) from None
        except ValueError:
            return  # a callable of an extension module, whose signature is not known

    def check_built(self, name: str, built: object) -> None:
        """Refuse what a factory returned if it does not fulfil the contract."""
        if self.contract is None:
            return
        if not isinstance(built, self.contract):
            raise PluginError(f"{name} returned {built!r}; expected a {self.contract.__name__}")
        self.check(name, built)


def _check_class(name: str, factory: type, contract: type) -> None:
    if not issubclass(factory, contract):
        raise PluginError(f"{name} is not a subclass of mfbpi_core.{contract.__name__}")
    missing = ", ".join(sorted(getattr(factory, "__abstractmethods__", ())))
    if missing:
        raise PluginError(f"{name} is abstract: it does not define {missing}")


def check_config(name: str, config: object) -> None:
    """Refuse a configuration that is not a class made by attrs, or of which no run can be made.

    Raises:
        PluginError: saying what to write instead.
    """
    if not isinstance(config, type) or not attrs.has(config):
        raise PluginError(
            f"{name} is {config!r}; expected an attrs class: @attrs.frozen(kw_only=True) above it, "
            "and its fields made by mfbpi_core.parameter"
        )
    check_fields(name, config)

"""What the factory and the configuration of each kind must be, told before anything is built."""

from __future__ import annotations

import inspect
from typing import Any

import attrs

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.executor import Executor
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError

#: The contract of each kind, and of replicas; experiments are functions that return data.
CONTRACTS: dict[str, type[Any]] = {
    "agent": Agent,
    "environment": Environment,
    "bound": Bound,
    "metric": Metric,
    "executor": Executor,
    "replicas": Replicas,
}

#: What the factory of each kind is called with.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "agent": ("problem", "config", "rng"),
    "environment": ("config",),
    "bound": ("discount", "config"),
    "metric": ("problem", "environment", "config", "rng"),
    "executor": ("jobs", "config"),
    "experiment": ("quick",),
    "replicas": ("problem", "config", "rngs"),
    "preset": ("problem",),
}


def check_factory(kind: str, name: str, factory: Any) -> None:
    """Refuse what cannot build a plugin of a kind.

    Args:
        kind: the kind.
        name: the import string, for messages.
        factory: what it names: a class that fulfils the contract, or a function that builds one.

    Raises:
        PluginError: saying what it is and what was expected.
    """
    if not callable(factory):
        raise PluginError(f"{name} is {factory!r}; expected a class or function")
    contract = CONTRACTS.get(kind)
    if contract is not None and isinstance(factory, type):
        _check_class(name, factory, contract)
    try:
        inspect.signature(factory).bind(*ARGUMENTS[kind])
    except TypeError as error:
        raise PluginError(
            f"{name} cannot be called with ({', '.join(ARGUMENTS[kind])}), as the factory of "
            f"{_articled(kind)} is: {error}"
        ) from None
    except ValueError:
        return  # a callable of an extension module, whose signature is not known


def _check_class(name: str, factory: type[Any], contract: type[Any]) -> None:
    if not issubclass(factory, contract):
        raise PluginError(f"{name} is not a subclass of mfbpi_core.{contract.__name__}")
    missing = ", ".join(sorted(getattr(factory, "__abstractmethods__", ())))
    if missing:
        raise PluginError(f"{name} is abstract: it does not define {missing}")


def check_config(name: str, config: Any) -> None:
    """Refuse a configuration that is not a class made by attrs; raises :class:`PluginError`."""
    if not isinstance(config, type) or not attrs.has(config):
        raise PluginError(
            f"{name} is {config!r}; expected an attrs class: @attrs.frozen(kw_only=True) above it, "
            "and its fields made by mfbpi_core.parameter"
        )


def check_built(kind: str, name: str, built: Any) -> None:
    """Refuse what a factory returned if it does not fulfil the contract of its kind."""
    contract = CONTRACTS[kind]
    if not isinstance(built, contract):
        raise PluginError(f"{name} returned {built!r}; expected a {contract.__name__}")
    if isinstance(built, Environment):
        _check_sizes(name, built)


def _check_sizes(name: str, environment: Environment) -> None:
    """Refuse sizes and ranges with which no agent could be built, or compiled ones leave memory."""
    for attribute in ("n_actions", "n_states", "max_episode_steps"):
        value, may_be_none = getattr(environment, attribute, None), attribute != "n_actions"
        if (exact.whole(value) or 0) < 1 and not (value is None and may_be_none):
            raise PluginError(
                f"{name}: {attribute} is {exact.shown(value)}; expected an integer of 1 or more"
                f"{', or None' if may_be_none else ''}"
            )
    if not _is_range(environment.reward_range):
        raise PluginError(
            f"{name}: reward_range is {exact.shown(environment.reward_range)}; expected the lowest "
            "and the highest reward, two numbers of which the first is smaller"
        )


def _is_range(limits: Any) -> bool:
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        return False
    low, high = map(exact.real, limits)
    return low is not None and high is not None and low < high


def _articled(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"

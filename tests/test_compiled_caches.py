"""What libraries compile for one plugin must not stop another: numba's caches on disk."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from numba.core import types
from numba.core.dispatcher import Dispatcher

from mfbpi_agent_dbmf_bpi.agent import DBMFBPI
from mfbpi_agent_dbmf_bpi.config import Config as DBMFBPIConfig
from mfbpi_agent_ids.agent import IDS
from mfbpi_agent_ids.config import Config as IDSConfig
from mfbpi_core import Interaction, PluginRef, Problem, Registry
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Plugin
from mfbpi_lib_compiled.cache import Kept
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import riverswim
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.testing import first_actions

AGENTS = [p for p in Registry.discover().of_kind("agent") if "states" in p.spec.needs]


def compiled_in_libs() -> Iterator[tuple[str, types.Type]]:
    """Each compiled function of a library, with each type that it was compiled for."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mfbpi_lib_"):
            for function in vars(module).values():
                if isinstance(function, Dispatcher) and function.__module__ == name:
                    for signature in function.signatures:
                        yield from ((f"{name}.{function.__name__}", kind) for kind in signature)


def test_what_is_compiled_is_kept_for_as_long_as_its_sources() -> None:
    """numba's own cache would go on with the rules of another version of a library."""
    for kind in ("agent", "stopping_rule"):
        for plugin in Registry.discover().of_kind(kind):
            importlib.import_module(plugin.spec.factory.partition(":")[0])

    functions = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("mfbpi_")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    ]

    assert len(functions) > 40
    assert [f for f in functions if not isinstance(f._cache, Kept)] == []


def named(kind: types.Type) -> Iterator[types.Type]:
    """The types of named tuples that a type is, or is made of."""
    if isinstance(kind, types.BaseNamedTuple):
        yield kind
    parts = kind.types if isinstance(kind, types.BaseTuple) else ()
    if isinstance(kind, types.StructRef):
        parts = kind.field_dict.values()
    for part in parts:
        yield from named(part)


def assert_own_types() -> None:
    """What is compiled of libraries is for types of libraries alone."""
    foreign = {
        (function, each.instance_class.__module__)
        for function, kind in compiled_in_libs()
        for each in named(kind)
        if not each.instance_class.__module__.startswith("mfbpi_lib_")
    }
    assert foreign == set()


@pytest.mark.parametrize("plugin", AGENTS, ids=lambda p: p.spec.name)
def test_libraries_are_compiled_for_their_own_types(plugin: Plugin) -> None:
    """A cache that names a plugin's type fails to load, for everyone, once that plugin is gone."""
    environment = TabularEnvironment(riverswim(4))
    problem = Problem(n_states=4, n_actions=2, discount=0.9, horizon=100)
    ref, rng = PluginRef(name=plugin.spec.name), np.random.default_rng(0)
    registry = Registry.discover()
    part = assembly.find(registry, "agent", ref)
    agent = assembly.agent(registry, part, problem, rng)

    Interaction(environment, agent, seed=0).advance(20)

    assert_own_types()


@pytest.mark.parametrize(("agent", "config"), [(DBMFBPI, DBMFBPIConfig), (IDS, IDSConfig)])
def test_the_library_of_networks_is_compiled_for_its_own_types(
    agent: type[DeepAgent], config: type[DeepConfig]
) -> None:
    """The same, of the agents that add types to those of the library."""
    first_actions(agent, config, (4,), steps=20)

    assert list(compiled_in_libs())
    assert_own_types()

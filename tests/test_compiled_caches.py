"""What libraries compile for one plugin must not stop another: numba's caches on disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from numba.core import types
from numba.core.dispatcher import Dispatcher

from mfbpi_core import Interaction, PluginRef, Problem, Registry
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Plugin
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.testing import riverswim

AGENTS = [p for p in Registry.discover().of_kind("agent") if "states" in p.spec.needs]


def compiled_in_libs() -> Iterator[tuple[str, types.Type]]:
    """Each compiled function of a library, with each type that it was compiled for."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mfbpi_lib_"):
            for function in vars(module).values():
                if isinstance(function, Dispatcher) and function.__module__ == name:
                    for signature in function.signatures:
                        yield from ((f"{name}.{function.__name__}", kind) for kind in signature)


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

    found = list(compiled_in_libs())
    foreign = {
        (function, kind.instance_class.__module__)
        for function, kind in found
        if isinstance(kind, types.BaseNamedTuple)
        and not kind.instance_class.__module__.startswith("mfbpi_lib_")
    }
    assert found
    assert foreign == set()

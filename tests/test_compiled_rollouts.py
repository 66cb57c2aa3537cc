"""What a step of a compiled agent must not do: count references, which costs more than the rest."""

from __future__ import annotations

import re
from typing import Any

import numba
import numpy as np
import pytest

from mfbpi_core import PluginRef, Problem, Registry
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Plugin
from mfbpi_lib_tabular.learning.agent import CompiledAgent, ReplanningAgent
from mfbpi_lib_tabular.models.environment import TabularEnvironment
from mfbpi_lib_tabular.models.simulator import Chunk
from mfbpi_lib_tabular.testing import riverswim

FUNCTION = re.compile(
    r'^define [^\n]*?@"?([^\s("]+)"?\([^\n]*\{\n(.*?)^\}', re.MULTILINE | re.DOTALL
)
LABEL = re.compile(r'^"?([^\s":]+)"?:', re.MULTILINE)
CALL = re.compile(r'\bcall [^\n@]*@"?([^\s("]+)"?\(')
COUNTING = re.compile(r"@NRT_(?:inc|dec)ref\b")
TARGET = re.compile(r'label %"?([^\s",]+)"?')

AGENTS = [p for p in Registry.discover().of_kind("agent") if "states" in p.spec.needs]


def compiled_agent(plugin: Plugin) -> CompiledAgent:
    """An agent of a plugin, ready for the first step."""
    problem = Problem(n_states=4, n_actions=2, discount=0.9, horizon=100)
    ref, rng = PluginRef(name=plugin.spec.name), np.random.default_rng(0)
    registry = Registry.discover()
    part = assembly.find(registry, "agent", ref)
    agent = assembly.agent(registry, part, problem, rng)
    if not isinstance(agent, CompiledAgent):
        pytest.skip("not compiled")
    return agent


def optimised(agent: CompiledAgent) -> str:
    """The LLVM code of an agent's rollout, compiled anew: what comes from the cache has none."""
    rollout = numba.njit(agent.rollout.py_func)  # type: ignore[attr-defined]
    dynamics, env_rng = TabularEnvironment(riverswim(4)).simulator
    start = (0,) if isinstance(agent, ReplanningAgent) else ()
    rollout(agent.state, dynamics, Chunk.empty(1), *start, env_rng, agent.rng)
    return next(iter(rollout.inspect_llvm().values()))


def counted_in_loops(code: str) -> list[str]:
    """The calls that count a reference within loops, and in what is called there."""
    bodies = dict(FUNCTION.findall(code))
    found = []
    for body in bodies.values():
        parts = LABEL.split(body)
        blocks = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
        after = {label: set(TARGET.findall(text)) for label, text in blocks.items()}
        looping = [text for label, text in blocks.items() if label in reached(label, after)]
        called = {callee: set(CALL.findall(text)) for callee, text in bodies.items()}
        callees = reached("", called | {"": set(CALL.findall("".join(looping)))})
        found += [text for text in looping if COUNTING.search(text)]
        found += [name for name in callees if COUNTING.search(bodies.get(name, ""))]
    return found


def reached(start: str, following: dict[str, set[str]]) -> set[str]:
    """Where control can go from a place: to itself, too, if that is in a loop."""
    seen: set[str] = set()
    todo = set(following[start])
    while todo:
        seen |= todo
        todo = {after for place in todo for after in following.get(place, ())} - seen
    return seen


@numba.njit
def _called(table: np.ndarray, out: np.ndarray, t: int) -> float:
    return out[t] > 0.0 and table[t] > 0.0


@numba.njit(forceinline=True)
def _inlined(table: np.ndarray, out: np.ndarray, t: int) -> float:
    return out[t] > 0.0 and table[t] > 0.0


@numba.njit
def _calling(table: np.ndarray, out: np.ndarray) -> None:
    for t in range(out.size):
        out[t] = _called(table, out, t)


@numba.njit
def _inlining(table: np.ndarray, out: np.ndarray) -> None:
    for t in range(out.size):
        out[t] = _inlined(table, out, t)


@pytest.mark.parametrize("loop", [_calling, _inlining])
def test_a_last_use_behind_a_condition_is_counted(loop: Any) -> None:
    """The search finds what it looks for, whether or not the call is inlined."""
    loop(np.ones(2), np.ones(2))

    assert counted_in_loops(next(iter(loop.inspect_llvm().values())))


@pytest.mark.parametrize("plugin", AGENTS, ids=lambda p: p.spec.name)
def test_steps_count_no_references(plugin: Plugin) -> None:
    """In the loop of a rollout, all references that its rules take are optimised away."""
    assert counted_in_loops(optimised(compiled_agent(plugin))) == []

# ruff: noqa: D102, D103, T201 - the contracts say what methods and hooks do, and it prints
"""A plugin for tests whose agent does what no agent should; it needs the environment of the toy."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Iterator

import attrs
import numpy as np

from mfbpi_core import Agent, AgentSpec, Problem, Transition, hookimpl, parameter


@attrs.frozen(kw_only=True)
class Config:
    """What it does, and when."""

    does: str = parameter("nothing", "name of a function below")
    at_seed: int = parameter(-1, "the only seed at which it does; -1: at all", ge=-1)


def nothing() -> None: ...


def talk() -> None:
    print("from Python \x1b[31m red\r\u202e")
    ctypes.CDLL(None).puts(b"from C")
    subprocess.run(["echo", "from a subprocess"], check=True)


def hang() -> None:
    time.sleep(600)


def hold() -> None:
    ctypes.PyDLL(None).sleep(600)  # keeps the interpreter to itself


def leave() -> None:
    os._exit(0)


def press() -> None:
    raise KeyboardInterrupt


def shout() -> None:
    raise RuntimeError("\x1b]0;owned\x07 red \x1b[31m")


class Mischief(Agent):
    """Does it once, when it is asked for its second action."""

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        seed = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        self._due = config.at_seed in (-1, seed)
        self._actions = 0

    def select_action(self, observation: int) -> int:
        self._actions += 1
        if self._due and self._actions == 2:
            globals()[self.config.does]()
        return 0

    def update(self, transition: Transition) -> None: ...

    def recommend(self, observation: int) -> int:
        return 0


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    yield AgentSpec(
        name="mischief",
        factory="mfbpi_mischief:Mischief",
        config="mfbpi_mischief:Config",
        summary="Red \x1b[31m and \u202ebackwards.",
    )

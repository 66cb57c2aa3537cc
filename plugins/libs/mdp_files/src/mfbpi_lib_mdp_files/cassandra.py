"""Cassandra's grammar for MDPs and POMDPs, ``.MDP`` and ``.POMDP``: what concerns the states.

::

    discount: 0.95
    values: reward
    states: left right
    actions: stay go
    start: left

    T: stay
    identity
    T: go : left : right 0.9
    T: go : left : left 0.1
    T: go : right
    0.5 0.5
    R: go : left : * 1

``*`` stands for all, later lines go before earlier ones, ``#`` begins a comment. Observations, and
the lines ``O:``, are read over: the MDP behind a POMDP is one whose states are seen. Rewards must
not depend on them; ``R: go : left : * : * 1`` is read in a file without observations too. Ends of
episodes have no place here; :mod:`.header` has one, in a comment ``# mfbpi: {...}``.

Source: Cassandra, "The POMDP file grammar", the format of the program pomdp-solve.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import header
from mfbpi_lib_mdp_files.named import Draft, Named, empty_entries
from mfbpi_lib_mdp_files.tokens import Tokens

#: Dense tables of more entries than this are refused.
MOST_ENTRIES = 2**27

_KEYS = ("discount", "values", "states", "actions", "observations", "start", "T", "O", "R")


def read(file: Path) -> Draft:
    """Read a model; raises :class:`UsageError` naming the line."""
    told, tokens = _scanned(file)
    return _Reader(file.name, tokens, told).read()


def _scanned(file: Path) -> tuple[JsonObject, Tokens]:
    told: JsonObject = {}
    found: list[tuple[str, int]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        text, _, comment = line.partition("#")
        if comment.strip().startswith(header.MARK.strip()):
            where = f"{file.name}, line {number}"
            told = header.parsed(comment.strip().removeprefix(header.MARK.strip()), where)
        found += [(word, number) for word in re.findall(r":|[^\s:]+", text)]
    return told, Tokens(file.name, found)


class _Reader:
    """One pass over the words of a file."""

    def __init__(self, name: str, tokens: Tokens, told: JsonObject) -> None:
        self.name, self.tokens, self.told = name, tokens, told
        self.names: dict[str, list[str]] = {"observations": []}
        self.discount: float | None = None
        self.sign = 1.0
        self.start: FloatArray | None = None
        self.transitions = self.rewards = np.zeros((0, 0, 0))  # [A, S, S], once sizes are known

    def read(self) -> Draft:
        """The draft of a model."""
        while self.tokens.more():
            key = self.tokens.take()
            if key == "start" and self.tokens.peek() in ("include", "exclude"):
                key = f"start {self.tokens.take()}"
            self.tokens.expect(":")
            if key.partition(" ")[0] not in _KEYS:
                raise self.tokens.error(f"{key!r}; expected one of {', '.join(_KEYS)}")
            self._section(key)
        self._allocate("the end of the file")
        return self._draft()

    def _section(self, key: str) -> None:
        if key == "discount":
            self.discount = self.tokens.number()
            if not 0.0 < self.discount < 1.0:
                raise self.tokens.error(f"the discount is {self.discount:g}; expected (0, 1)")
        elif key == "values":
            word = self.tokens.take()
            if word not in ("reward", "cost"):
                raise self.tokens.error(f"values are {word!r}; expected reward or cost")
            self.sign = -1.0 if word == "cost" else 1.0
        elif key in ("states", "actions", "observations"):
            self.names[key] = self._listed()
        elif key.startswith("start"):
            self._allocate("start")
            self.start = self._begin(key)
        else:
            self._allocate(key)
            {"T": self._transition, "O": self._observation, "R": self._reward}[key]()

    def _listed(self) -> list[str]:
        """Names, or as many numbers as a single number says."""
        words = list(self.tokens.until_key(_KEYS))
        if len(words) == 1 and words[0].isdigit():
            return [str(n) for n in range(int(words[0]))]
        if not words or len(set(words)) < len(words):
            raise self.tokens.error(f"{words}; expected a number, or distinct names")
        return words

    def _allocate(self, before: str) -> None:
        """Make room for the tables, once states and actions are known."""
        if self.transitions.size:
            return
        missing = [key for key in ("states", "actions") if not self.names.get(key)]
        if missing:
            raise self.tokens.error(f"{before} comes before {' and '.join(missing)}")
        shape = (len(self.names["actions"]), len(self.names["states"]), len(self.names["states"]))
        if math.prod(shape) > MOST_ENTRIES:
            raise self.tokens.error(f"tables of {shape}; expected at most {MOST_ENTRIES:,} entries")
        self.transitions, self.rewards = np.zeros(shape), np.zeros(shape)

    def _begin(self, key: str) -> FloatArray:
        """The distribution of the first state."""
        count = len(self.names["states"])
        words = list(self.tokens.until_key(_KEYS))
        if words == ["uniform"]:
            return np.full(count, 1.0 / count)
        if key == "start" and len(words) == count and (count > 1 or words[0] not in ("0",)):
            return np.array([self.tokens.as_number(word) for word in words])
        chosen = np.zeros(count)
        for word in words:
            chosen[self._index("states", word)] = 1.0
        chosen = 1.0 - chosen if key == "start exclude" else chosen
        if not chosen.any() or (key == "start" and len(words) != 1):
            raise self.tokens.error(f"start {words}; expected a state, {count} numbers, or uniform")
        return chosen / chosen.sum()

    def _index(self, kind: str, word: str) -> int | slice:
        """A place by name or number; all for ``*``."""
        names = self.names[kind]
        if word == "*":
            return slice(None)
        if word in names:
            return names.index(word)
        if word.isdigit() and int(word) < len(names):
            return int(word)
        raise self.tokens.error(f"{word!r} is none of the {len(names)} {kind}")

    def _path(self, kinds: tuple[str, ...]) -> list[int | slice]:
        """What follows a key: up to so many places, separated by colons."""
        places: list[int | slice] = []
        for kind in kinds:
            if places:
                if self.tokens.peek() != ":":
                    break
                self.tokens.take()
            places.append(self._index(kind, self.tokens.take()))
        return places

    def _transition(self) -> None:
        path = self._path(("actions", "states", "states"))
        count = len(self.names["states"])
        if len(path) == 3:
            self.transitions[path[0], path[1], path[2]] = self._probability()
            return
        word = self.tokens.peek()
        shape = (count,) if len(path) == 2 else (count, count)
        if word in ("uniform", "identity", "reset"):
            self.tokens.take()
            self.transitions[tuple(path)] = self._shorthand(word, shape)
            return
        block = [self._probability() for _ in range(math.prod(shape))]
        self.transitions[tuple(path)] = np.reshape(block, shape)

    def _shorthand(self, word: str, shape: tuple[int, ...]) -> FloatArray:
        if word == "identity" and len(shape) == 2:
            return np.eye(shape[0])
        if word == "uniform":
            return np.full(shape, 1.0 / shape[-1])
        if word == "reset" and self.start is not None:
            return np.broadcast_to(self.start, shape)
        raise self.tokens.error(f"{word!r} is not possible here")

    def _probability(self) -> float:
        number = self.tokens.number()
        if not 0.0 <= number <= 1.0:
            raise self.tokens.error(f"the probability {number:g}; expected 0 to 1")
        return number

    def _observation(self) -> None:
        """Read over what concerns observations."""
        self._path(("actions", "states", "observations"))
        for _ in self.tokens.until_key(_KEYS):
            pass

    def _reward(self) -> None:
        kinds = ("actions", "states", "states", "observations")
        seen = max(len(self.names["observations"]), 1)
        path = self._path(kinds if self.names["observations"] else kinds[:3])
        self._any_observation()
        values = [self.sign * self.tokens.as_number(w) for w in self.tokens.until_key(_KEYS)]
        if len(path) == 4 and path[3] != slice(None) and seen > 1:
            raise self.tokens.error("a reward depends on the observation; expected * there")
        count = len(self.names["states"])
        block = (count,) * (3 - len(path[:3]))  # what one entry for each next state fills
        alone = len(path) == 4 or (len(path) == 3 and len(values) == 1)
        wanted = 1 if alone else math.prod(block) * seen
        if len(values) != wanted:
            raise self.tokens.error(f"{len(values)} rewards; expected {wanted}")
        table = np.reshape(values, (*block, -1))  # one column for each observation
        if not (table == table[..., :1]).all():
            raise self.tokens.error("rewards depend on the observation; expected equal ones")
        self.rewards[tuple(path[:3])] = table[..., 0]

    def _any_observation(self) -> None:
        """Pass ``: *`` where there are no observations: POMDPs have a place for them, MDPs may."""
        if self.tokens.peek() != ":" or self.names["observations"]:
            return
        self.tokens.take()
        if (word := self.tokens.take()) != "*":
            raise self.tokens.error(
                f"{word!r} stands for an observation, and no line above names any; expected '*', "
                "nothing, or a line 'observations: ...' before"
            )

    def _draft(self) -> Draft:
        states, actions = self.names["states"], self.names["actions"]
        draft = Draft(
            file=self.name,
            states=header.names(self.told, "states") or states,
            actions=header.names(self.told, "actions") or actions,
            entries=empty_entries(len(states), len(actions)),
            initial=self.start,
            discount=self.discount,
        )
        if len(draft.states) != len(states) or len(draft.actions) != len(actions):
            raise UsageError(f"{self.name}: the header names other states or actions than the file")
        header.apply(self.told, draft, self.name)
        for s, a, following in self._positive():
            if s not in draft.terminal:
                p = float(self.transitions[a, s, following])
                r = float(self.rewards[a, s, following])
                draft.entries[s][a].append((p, following, r, following in draft.terminal))
        return draft

    def _positive(self) -> Iterator[tuple[int, int, int]]:
        for a, s, following in zip(*np.nonzero(self.transitions), strict=True):
            yield int(s), int(a), int(following)


def write(model: Named, file: Path) -> None:
    """Write a model; states and actions are numbered, their names in the comment.

    Raises:
        UsageError: without a discount, or where one next state is paid differently.
    """
    if model.discount is None:
        raise UsageError("Cassandra's grammar needs a discount; give one")
    mdp = model.mdp
    lines = [f"# {header.line(model)}", f"discount: {model.discount!r}", "values: reward"]
    lines += [f"states: {mdp.n_states}", f"actions: {mdp.n_actions}"]
    lines.append(f"start: {' '.join(map(repr, mdp.initial.tolist()))}")
    paid: dict[tuple[int, int, int], float] = {}
    for s, a, following, p, r, _ in model.rows():
        if (s, a, following) in paid:
            raise UsageError(
                f"state {model.states[s]}, action {model.actions[a]} leads to state "
                f"{model.states[following]} with different rewards, for which this grammar has no "
                "place; write .csv, .json or .parquet"
            )
        paid[s, a, following] = r
        lines += [f"T: {a} : {s} : {following} {p!r}", f"R: {a} : {s} : {following} {r!r}"]
    for end in np.flatnonzero(mdp.terminal):
        lines.append(f"T: * : {end} : {end} 1.0")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

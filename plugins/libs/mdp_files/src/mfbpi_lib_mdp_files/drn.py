"""Storm's explicit format for MDPs, DRN.

::

    @type: MDP
    @parameters

    @reward_models
    reward
    @nr_states
    2
    @nr_choices
    3
    @model
    state 0 [0] init
        action left [0.5]
            0 : 1
        action right [0]
            0 : 0.9
            1 : 0.1
    state 1 [0] terminal
        action 0 [0]
            1 : 1

The reward of a pair is that of its state plus that of its action, of the first reward model. A
state labelled ``terminal`` is terminal, and so is one that has fewer actions than others, stays
where it is and pays nothing. Actions are told apart by their names, or by their places where they
have none. Exit rates, ``state 0 !2.5 [0]``, are of continuous time, and refused; so is a file that
holds more or fewer states or choices than it says. DRN has no discount; :mod:`.header` has one, in
a comment ``// mfbpi: {...}``.

Source: Hensel et al. 2022, "The probabilistic model checker Storm"; the format as its documentation
describes it.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import attrs
import numpy as np

from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_lib_mdp_files import header
from mfbpi_lib_mdp_files.named import Draft, Named, empty_entries

_STATE = re.compile(r"state\s+(\d+)\s*(?:\[([^\]]*)\])?\s*(.*)")
_ACTION = re.compile(r"action\s+([^\s\[\]]+)\s*(?:\[([^\]]*)\])?")
_STEP = re.compile(r"(\d+)\s*:\s*(\S+)")

#: What Storm calls an action without a name.
_NAMELESS = "__NOLABEL__"

#: A number, or a quotient of two, as exact models have them.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(/\d+)?")


@attrs.define
class _Choice:
    """An action of a state, where it stands, and what may follow."""

    name: str
    where: str
    reward: float
    steps: list[tuple[float, int]] = attrs.field(factory=list)


@attrs.define
class _State:
    """A state, and its actions."""

    labels: list[str]
    reward: float
    choices: list[_Choice] = attrs.field(factory=list)


def read(file: Path) -> Draft:
    """Read a model; raises :class:`UsageError` naming the line."""
    told, head, states = _parsed(file)
    _check_type(head, file.name)
    if not states:
        raise UsageError(f"{file.name} has no states; expected 'state 0' after @model")
    _check_counts(head, states, file.name)
    names = header.names(told, "states") or [str(s) for s in range(len(states))]
    if len(names) != len(states):
        raise UsageError(f"{file.name}: the header names {len(names)} of {len(states)} states")
    actions = header.names(told, "actions") or _actions(states)
    draft = Draft(
        file=file.name,
        states=names,
        actions=actions,
        entries=empty_entries(len(states), len(actions)),
    )
    draft.terminal = {s for s, state in enumerate(states) if _is_terminal(s, state, len(actions))}
    # With names in the header, the lines have numbers.
    called = list(map(str, range(len(actions)))) if "actions" in told else actions
    _fill(draft, states, {name: a for a, name in enumerate(called)})
    starts = [s for s, state in enumerate(states) if "init" in state.labels]
    if len(starts) > 1 and "initial" not in told:
        raise UsageError(
            f"{file.name} labels {len(starts)} states init; expected one, or their probabilities "
            'in a comment // mfbpi: {"initial": {STATE: PROBABILITY, ...}}'
        )
    if starts:
        draft.initial = np.eye(len(states))[starts[0]]
    header.apply(told, draft, file.name)
    return draft


def _parsed(file: Path) -> tuple[JsonObject, dict[str, str], list[_State]]:
    """The header, what stands after each sign @, and the states."""
    told: JsonObject = {}
    head: dict[str, str] = {}
    states: list[_State] = []
    key = ""
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        where, text = f"{file.name}, line {number}", line.strip()
        if text.startswith("//"):
            comment = text[2:].strip()
            if comment.startswith(header.MARK.strip()):
                told = header.parsed(comment.removeprefix(header.MARK.strip()), where)
        elif text.startswith("@"):
            key, _, value = map(str.strip, text[1:].partition(":"))
            head[key] = value
            if key == "model":  # before its lines, which look different in other types
                _check_type(head, file.name)
        elif text and key != "model":
            head[key] = text
        elif text:
            _take(text, states, where)
    return told, head, states


def _check_type(head: dict[str, str], name: str) -> None:
    """Refuse what is no MDP."""
    kind = head.get("type", "MDP").upper()
    if kind not in ("MDP", "DTMC"):
        raise UsageError(f"{name}: the type is {kind}; expected MDP")


def _check_counts(head: dict[str, str], states: list[_State], name: str) -> None:
    """Refuse a file that is cut off: with the end of a state's actions, another model is left."""
    held = {"states": len(states), "choices": sum(len(state.choices) for state in states)}
    for what, count in held.items():
        said = head.get(f"nr_{what}", "")
        if said and not (said.isascii() and said.isdigit()):
            raise UsageError(f"{name}: @nr_{what} is {said[:40]!r}; expected a whole number")
        if said and (said.lstrip("0") or "0") != str(count):
            raise UsageError(
                f"{name}: @nr_{what} says {said[:40]}, but the file holds {count} {what}; expected "
                "as many: is it cut off? Export it again, or correct the number"
            )


def _take(text: str, states: list[_State], where: str) -> None:
    """Read one line of the model."""
    state, action, step = (p.fullmatch(text) for p in (_STATE, _ACTION, _STEP))
    if state is not None:
        if int(state[1]) != len(states):
            raise UsageError(f"{where}: state {state[1]}; expected state {len(states)} next")
        states.append(_State(_labels(state, where), _reward(state[2], where)))
    elif action is not None and states:
        states[-1].choices.append(_Choice(action[1], where, _reward(action[2], where)))
    elif step is not None and states:
        if not states[-1].choices:
            states[-1].choices.append(_Choice(_NAMELESS, where, 0.0))
        probability = _number(step[2], where)
        if not 0.0 <= probability <= 1.0:
            raise UsageError(
                f"{where}: state {len(states) - 1}, action {states[-1].choices[-1].name} has the "
                f"probability {probability:g}; expected 0 to 1"
            )
        states[-1].choices[-1].steps.append((probability, int(step[1])))
    else:
        raise UsageError(f"{where}: {text[:60]!r}; expected 'state', 'action' or 'STATE : NUMBER'")


def _labels(state: re.Match[str], where: str) -> list[str]:
    """The labels of a state; a reward among them would go unseen, and is refused."""
    place = f"expected 'state {state[1]} [REWARD, ...] LABEL ...'"
    labels = state[3].split()
    for label in labels:
        if label.startswith("!"):
            raise UsageError(
                f"{where}: state {state[1]} has the exit rate {label[:40]!r}, which is for "
                f"continuous time (CTMC, Markov automata); an MDP has none: {place}"
            )
        if "[" in label or "]" in label:
            raise UsageError(f"{where}: {label[:40]!r} stands among the labels; {place}")
    return labels


def _reward(listed: str | None, where: str) -> float:
    """The first of the rewards in brackets; 0 without any."""
    first = (listed or "").split(",")[0].strip()
    return _number(first, where) if first else 0.0


def _number(text: str, where: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise UsageError(f"{where}: {text[:40]!r}; expected a number")
    top, _, bottom = text.partition("/")
    number = float(top) / float(bottom) if bottom and float(bottom) else float(top)
    if not math.isfinite(number) or (bottom and not float(bottom)):
        raise UsageError(f"{where}: {text[:40]!r}; expected a finite number")
    return number


def _actions(states: list[_State]) -> list[str]:
    """Names of the actions, in the order of their first use; numbers where they have none."""
    most = max(len(state.choices) for state in states)
    named = list(dict.fromkeys(c.name for state in states for c in state.choices))
    repeated = any(len({c.name for c in s.choices}) < len(s.choices) for s in states)
    return [str(a) for a in range(most)] if repeated or named == [_NAMELESS] else named


def _is_terminal(number: int, state: _State, n_actions: int) -> bool:
    """Labelled so, or it has too few actions, stays and pays nothing."""
    if "terminal" in state.labels:
        return True
    stays = all(target == number for c in state.choices for _, target in c.steps)
    free = state.reward == 0.0 and all(c.reward == 0.0 for c in state.choices)
    return len(state.choices) < n_actions and stays and free


def _fill(draft: Draft, states: list[_State], places: dict[str, int]) -> None:
    """Put the transitions into a draft; raises :class:`UsageError` for unknown states."""
    for s, state in enumerate(states):
        if s in draft.terminal:
            continue
        for position, choice in enumerate(state.choices):
            a = places.get(choice.name, position)
            if a >= len(draft.actions) or draft.entries[s][a]:
                raise UsageError(
                    f"{choice.where}: state {s} has action {choice.name} twice, or too many; "
                    f"expected each of {', '.join(draft.actions)} once"
                )
            for probability, target in choice.steps:
                if target >= len(states):
                    raise UsageError(
                        f"{choice.where}: state {s}, action {choice.name} leads to state {target}; "
                        f"expected 0 to {len(states) - 1}"
                    )
                end = target in draft.terminal
                paid = state.reward + choice.reward
                draft.entries[s][a].append((probability, target, paid, end))


def write(model: Named, file: Path) -> None:
    """Write a model.

    Raises:
        UsageError: when a reward depends on the next state, for which DRN has no place.
    """
    mdp = model.mdp
    rewards = _rewards_of_pairs(model)
    n_choices = int((~mdp.terminal).sum()) * mdp.n_actions + int(mdp.terminal.sum())
    lines = [f"// {header.line(model)}", "@type: MDP", "@parameters", "", "@reward_models"]
    lines += ["reward", "@nr_states", str(mdp.n_states), "@nr_choices", str(n_choices), "@model"]
    following: dict[tuple[int, int], list[str]] = {}
    for s, a, target, p, _, _ in model.rows():
        following.setdefault((s, a), []).append(f"\t\t{target} : {p!r}")
    for s in range(mdp.n_states):
        held = {"init": mdp.initial[s] > 0.0, "terminal": mdp.terminal[s]}
        labels = [word for word, holds in held.items() if holds]
        lines.append(" ".join(["state", str(s), "[0]", *labels]))
        if mdp.terminal[s]:
            lines += ["\taction 0 [0]", f"\t\t{s} : 1"]
            continue
        for a in range(mdp.n_actions):
            lines.append(f"\taction {a} [{rewards[s, a]!r}]")
            lines += following[s, a]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rewards_of_pairs(model: Named) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for s, a, _, _, r, _ in model.rows():
        if found.setdefault((s, a), r) != r:
            raise UsageError(
                f"the reward of state {model.states[s]}, action {model.actions[a]} depends on the "
                "next state, for which DRN has no place; write .csv, .json or .parquet"
            )
    return found

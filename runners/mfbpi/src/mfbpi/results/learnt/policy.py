"""A recommended policy: a table where states are integers, else what an agent recommends."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mfbpi.results.storage import endings, table
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.recommendation import recommendation
from mfbpi_core.data import exact
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.problem import Observation
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError

_COLUMNS = ("state", "state_name", "action", "action_name")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Policy:
    """What a run recommends in the end; called with an observation, it says the action.

    Attributes:
        task: the run.
        actions: int64 [S], the action in each state; None where observations are arrays.
        n_actions: number of actions A.
        state_names: what states are called; None for their numbers.
        action_names: the same for actions.
        agent: what recommends where there is no table.
    """

    task: Task
    actions: npt.NDArray[np.int64] | None
    n_actions: int
    state_names: tuple[str, ...] | None = None
    action_names: tuple[str, ...] | None = None
    agent: Agent | None = None

    def __call__(self, observation: Observation) -> int:
        """The action recommended for an observation.

        Raises:
            UsageError: for a state that is none.
        """
        if self.actions is None:
            assert self.agent is not None  # one of the two is there
            return recommendation(self.agent, observation)
        state = exact.whole(observation)
        if state is None or not 0 <= state < len(self.actions):
            raise UsageError(
                f"the observation is {exact.shown(observation)}; expected a state, an integer from "
                f"0 to {len(self.actions) - 1}"
            )
        return int(self.actions[state])

    def __repr__(self) -> str:
        size = "" if self.actions is None else f", {len(self.actions)} states"
        return f"<Policy of {self.task.label}{size}>"

    @property
    def table(self) -> npt.NDArray[np.int64]:
        """The actions; raises :class:`UsageError` where observations are arrays."""
        if self.actions is None:
            raise UsageError(
                f"{self.task.label}: observations are arrays, whose policy is no table; it acts "
                "(see `mfbpi play`)"
            )
        return self.actions

    def rows(self) -> list[tuple[int, str, int, str]]:
        """State, its name, action, its name, by state; numbers have no names but themselves."""
        return [
            (state, _name(self.state_names, state), action, _name(self.action_names, action))
            for state, action in enumerate(self.table.tolist())
        ]

    def as_dict(self) -> JsonObject:
        """Everything, as JSON can hold it."""
        names = {"state_names": self.state_names, "action_names": self.action_names}
        return {
            "agent": self.task.agent.shown,
            "env": self.task.environment.shown,
            "seed": self.task.seed,
            "discount": self.task.discount,
            "n_actions": self.n_actions,
            "actions": self.table.tolist(),
            **{key: list(value) for key, value in names.items() if value is not None},
        }

    def write(self, path: str | Path) -> None:
        """Write the table as .csv, .json or .npz, by the ending of the name.

        Raises:
            UsageError: for another ending, or where it cannot be written.
        """
        endings.write(path, self, _FORMATS)


def _csv(policy: Policy) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(policy.rows())
    return text.getvalue().encode()


def _json(policy: Policy) -> bytes:
    return (json.dumps(policy.as_dict(), indent=2) + "\n").encode()


def _npz(policy: Policy) -> bytes:
    names = {"state_names": policy.state_names, "action_names": policy.action_names}
    named = {key: np.array(value, dtype=np.str_) for key, value in names.items() if value}
    content = io.BytesIO()
    np.savez(content, actions=policy.table, n_actions=policy.n_actions, **named)  # type: ignore[arg-type]
    return content.getvalue()


_FORMATS: dict[str, Callable[[Policy], bytes]] = {".csv": _csv, ".json": _json, ".npz": _npz}


def _name(names: tuple[str, ...] | None, number: int) -> str:
    return str(number) if names is None else names[number]


def stored(task: Task, content: pa.Table) -> Policy | None:
    """The policy in the table of a run; None where there is none.

    Raises:
        ValueError: when it is no policy.
    """
    text = (content.schema.metadata or {}).get(table.POLICY_KEY)
    if text is None:
        return None
    saved = json.loads(text)
    if not isinstance(saved, dict):
        raise ValueError(f"its policy is {saved!r:.80}; expected a dictionary")
    n_actions, actions = saved.get("n_actions"), saved.get("actions")
    if type(n_actions) is not int or not _are_actions(actions, n_actions) or actions is None:
        raise ValueError(f"its policy is {saved!r:.80}; expected actions from 0 to n_actions - 1")
    return Policy(
        task=task,
        actions=np.array(actions, dtype=np.int64),
        n_actions=n_actions,
        state_names=_names(saved, "state_names", len(actions)),
        action_names=_names(saved, "action_names", n_actions),
    )


def _are_actions(found: Any, n_actions: int) -> bool:
    whole = isinstance(found, list) and all(type(action) is int for action in found)
    return whole and all(0 <= action < n_actions for action in found)


def _names(saved: JsonObject, key: str, count: int) -> tuple[str, ...] | None:
    found = saved.get(key)
    if found is None:
        return None
    if not isinstance(found, list) or len(found) != count or not all(type(n) is str for n in found):
        raise ValueError(f"its {key} are {found!r:.80}; expected {count} texts")
    return tuple(found)

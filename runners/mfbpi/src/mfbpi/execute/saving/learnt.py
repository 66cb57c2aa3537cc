"""What stays of a run beside its rows: the policy that it recommends, and its agent."""

from __future__ import annotations

from typing import Any

import attrs

from mfbpi.execute.saving import encoding
from mfbpi.notices import warn
from mfbpi.results.storage import provenance
from mfbpi.results.storage.used import Used
from mfbpi_core.contracts.recommendation import checked_policy
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import Task
from mfbpi_core.errors import CheckpointError, SolverError
from mfbpi_core.running.loop import Run
from mfbpi_core.text import described, said

#: Suffix of the file of an agent, and version of what it holds.
SUFFIX, FORMAT = ".agent.npz", 1


def policy(run: Run) -> JsonObject | None:
    """The policy that a run recommends in the end, as JSON can hold it; None without states.

    A run with a stopping rule recommends what the rule's verdict says.
    """
    verdict = None if run.stopping is None else run.stopping.verdict
    try:
        actions = checked_policy(run.agent)
    except Exception as error:  # a third party's agent; its rows need not be lost for that
        warn(f"the policy of {run.agent_name} is left out: {described(error)}")
        return None
    if verdict is not None and verdict.policy is not None:
        actions = verdict.policy
    if actions is None:
        return None
    where = run.environment
    names = {"state_names": where.state_names, "action_names": where.action_names}
    return {
        "actions": actions.tolist(),
        "n_actions": where.n_actions,
        **{key: list(value) for key, value in names.items() if value is not None},
    }


def agent(task: Task, run: Run, used: Used) -> dict[str, bytes]:
    """The file of the agent, by its suffix; with a warning, nothing where it cannot be saved."""
    tree = {
        "format": FORMAT,
        "task": task.to_json(),
        "versions": provenance.versions(used),
        "problem": attrs.asdict(run.agent.problem),
    }
    try:
        return {
            SUFFIX: encoding.to_bytes({**tree, "agent": run.agent.state_dict()}, compressed=True)
        }
    except SolverError:
        raise  # the agent itself says that its numbers are of no use
    except Exception as error:  # a third party's agent may hold anything
        cause = said(error) if isinstance(error, CheckpointError) else described(error)
        warn(f"{run.agent_name} is not saved: {cause}")
        return {}


def problem(saved: Any) -> Problem:
    """The problem of a file, whose fields are numbers and words.

    Raises:
        CheckpointError: when they are not.
    """
    names = {field.name for field in attrs.fields(Problem)}
    if not isinstance(saved, dict) or set(saved) != names:
        raise CheckpointError("its problem has other fields than those of this version")
    found = Problem(**saved)
    sizes = [found.n_actions, found.horizon, *found.observation_shape]
    sizes += [] if found.n_states is None else [found.n_states]
    if not all(type(size) is int and size >= 1 for size in sizes):
        raise CheckpointError(f"its problem has sizes of {sizes}; expected integers of 1 or more")
    numbers = [found.discount, *found.reward_range]
    if not all(isinstance(number, float | int) for number in numbers):
        raise CheckpointError(f"its problem has {numbers} for numbers")
    return found

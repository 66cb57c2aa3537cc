"""An agent as a run has left it, built again and brought to its saved state.

A file says numbers, texts and arrays, and which installed plugin they belong to. Nothing in it is
unpickled, imported or evaluated, and no environment is built: what the agent was told of its
problem is in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from mfbpi.execute.saving import encoding, learnt
from mfbpi.execute.working import compiled
from mfbpi.notices import note
from mfbpi.plan import own
from mfbpi.results.storage import files, provenance
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.recommendation import checked_policy
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import Task
from mfbpi_core.errors import (
    CheckpointError,
    ConfigError,
    MfbpiError,
    RequirementError,
    UsageError,
)
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import described


def load(path: Place, task: Task, codes: own.Code, parameters: Mapping[str, object]) -> Agent:
    """The agent of a task.

    Args:
        path: its file.
        task: the task.
        codes: ``"./FILE.py:CLASS"`` or a class, where the agent has no packaging.
        parameters: those that are to be others than in the run.

    Raises:
        UsageError: when there is none, or the file is not what its name says.
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    own.take_in_all(registry, codes)
    own.require_known(registry, "agent", task.agent.name, field="code")
    ref = attrs.evolve(task.agent, config={**task.agent.config, **parameters})
    part = assembly.find(registry, "agent", ref)
    try:
        tree = _checked(encoding.from_bytes(files.read_regular(path)), task)
        about = learnt.problem(tree["problem"])
        built = assembly.agent(registry, part, about, Streams(task.seed).generator("agent"))
        built.load_state_dict(tree["agent"])
        checked_policy(built)
    except (ConfigError, RequirementError):  # such as a device that this machine does not have
        raise
    except Exception as error:  # a file may hold anything
        cause = str(error) if isinstance(error, MfbpiError) else described(error)
        raise UsageError(f"{path} is not the agent of {task.label}: {cause}") from error
    _note_versions(tree.get("versions"))
    return built


def _checked(tree: Any, task: Task) -> JsonObject:
    if not isinstance(tree, dict) or tree.get("format") != learnt.FORMAT:
        raise CheckpointError("it is of another version of mfbpi")
    if tree["task"] != task.to_json():
        raise CheckpointError("it is that of another task")
    return tree


def _note_versions(before: Any) -> None:
    """Say what has another version; not of what environments are made of, for none is built."""
    try:
        programs = {group: before[group] for group in ("plugins", "libraries")}
        changed = provenance.changes(programs, provenance.installed(programs, {}))
    except Exception:  # another's file; what it lacks is no matter to the agent
        return
    if changed:
        note(f"the agent was saved with other versions: {', '.join(changed)}")

"""Fields as options: messages of the library name the former, users of the command the latter."""

from __future__ import annotations

import re

#: Options that are not called as their fields.
_NAMED = {
    "agents": "--agent",
    "agent": "--agent",
    "agent_settings": "-A",
    "environments": "--env",
    "environment": "--env",
    "environment_settings": "-E",
    "metrics": "--metric",
    "metric_settings": "-M",
    "bound_settings": "-B",
    "executor_settings": "-X",
    "stop_settings": "-S",
    "contrasts": "--contrast",
    "file": "--mdp",
    "env": "--env",
    "imports": "--import",
}

#: Options that are.
_ALIKE = (
    *("seeds", "steps", "episodes", "eval_every", "discount", "arrays", "bound", "constraint"),
    *("out", "if_exists", "shard", "executor", "jobs", "replicas", "task_timeout"),
    *("checkpoint_every", "checkpoint_dir", "allocation", "plot", "stop", "delta", "epsilon"),
    *("scope", "allow_heuristic", "metric", "reaches", "baseline", "pairs", "level"),
    *("save_agent", "code", "seed", "gif", "reward_range", "terminal", "near_tie", "first_seed"),
    "most_steps",
)

FLAGS = {**_NAMED, **{name: f"--{name.replace('_', '-')}" for name in _ALIKE}}

#: A field in a message, perhaps with a value: `out`, `if_exists='resume'`.
_FIELD = re.compile(r"`(\w+)(?:='(\w+)')?`")


def spelled(message: str) -> str:
    """The message as the command line spells it.

    >>> spelled("add `if_exists='resume'`, or choose another `out`")
    'add --if-exists resume, or choose another --out'
    """
    return _FIELD.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    flag = FLAGS.get(found[1])
    if flag is None:
        return found[0]
    return flag if found[2] is None else f"{flag} {found[2]}"

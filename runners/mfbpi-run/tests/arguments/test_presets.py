"""Presets: an agent's published settings for an environment, and what goes before them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage import table
from mfbpi_core.errors import PluginError, UsageError

PlanOf = Callable[..., TaskPlan]


def configs(plan: TaskPlan) -> dict[str, Any]:
    """Parameters of the only agent by environment."""
    return {task.environment.shown: task.agent.config for task in plan.tasks}


def test_preset_goes_before_defaults(plan_of: PlanOf) -> None:
    """On the ring the weight is its number of states; elsewhere, and else, defaults stay."""
    found = configs(plan_of(agents=("tuned",), environments=("ring", "lap")))

    assert found["ring"] == {"bias": 0.5, "weight": 3}
    assert found["lap"] == {"bias": 0.5, "weight": 1}


def test_preset_follows_the_environment_s_settings(plan_of: PlanOf) -> None:
    """The problem that the preset sees is the one of this run."""
    found = configs(plan_of(agents=("tuned",), environment_settings=("n_states=7",)))

    assert found["ring(n_states=7)"]["weight"] == 7


def test_user_goes_before_the_preset(plan_of: PlanOf) -> None:
    """What is set with -A is used as given, the default value included."""
    for setting in ("weight=1", "tuned.weight=1"):
        found = configs(plan_of(agents=("tuned",), agent_settings=(setting, "bias=0.75")))
        assert found["ring"] == {"bias": 0.75, "weight": 1}


def test_preset_is_recorded_in_the_task(mfbpi: Callable[..., Any]) -> None:
    """The table and the manifest say which value was used."""
    few = ("--agent", "tuned", "--env", "ring", "--executor", "inline", "--seeds", "0", "--json")
    ended = mfbpi("run", *few, "--out", "there")

    (task,) = ended.json["tasks"]
    recorded = table.task_of(table.read(Path(task["file"])))
    manifest = json.loads(Path("there/_run.json").read_text())
    assert recorded.agent.config["weight"] == 3
    assert manifest["agents"]["tuned on ring"]["config"]["weight"] == 3


@pytest.mark.parametrize(
    ("agent", "error", "message"),
    [
        ("mistuned", UsageError, r"agent mistuned: unknown parameter 'wieght'; did you mean"),
        ("lost", PluginError, r"agent lost of mfbpi-toy 1.0: LookupError\('nothing is published"),
    ],
)
def test_wrong_preset_is_blamed_on_the_agent(
    plan_of: PlanOf, agent: str, error: type[Exception], message: str
) -> None:
    """The message names the agent, whether its preset fails or names what does not exist."""
    with pytest.raises(error, match=message):
        plan_of(agents=(agent,))


def test_show_says_that_defaults_depend_on_the_environment(mfbpi: Callable[..., Any]) -> None:
    """Only for agents that have published settings."""
    assert "defaults: those below, or the published ones" in mfbpi("show", "agent", "tuned").out
    assert "defaults: " not in mfbpi("show", "agent", "biased").out

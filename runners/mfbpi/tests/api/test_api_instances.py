"""Environments, agents, descriptions and bounds from Python; what is installed; experiments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mfbpi as library
from mfbpi.instances.tabulation import Tabulated
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.transitions import Transition

STAY, GO = [1.0, 0.0], [0.0, 1.0]
TRANSITIONS = [[STAY, GO], [GO, STAY]]
REWARDS = [[0.0, 0.0], [1.0, 0.0]]


def stepped(agent: Agent, env: Environment, seed: int, n_steps: int) -> list[int]:
    """A loop of one's own; the states visited."""
    state, _ = env.reset(seed=seed)
    visited = []
    for _ in range(n_steps):
        action = agent.select_action(state)
        following, reward, terminated, truncated, _ = env.step(action)
        agent.update(Transition(state, action, reward, following, terminated, truncated))
        state = env.reset()[0] if terminated or truncated else following
        visited.append(int(state))
    return visited


def test_descriptions_are_dictionaries_as_the_command_prints_them(
    mfbpi: Callable[..., Any],
) -> None:
    """But for the discount and the names, which are not of the instance."""
    printed = mfbpi("describe", "--env", "riverswim", "--discount", "0.5", "--json").json

    found = library.describe("riverswim", discount=0.5).to_dict()

    assert json.loads(json.dumps(found)).items() <= printed.items()
    assert printed.keys() - found.keys() <= {"discount", "state_names", "action_names"}


def test_agent_is_that_of_a_run() -> None:
    """The same generator and the same published parameters, so the same choices."""
    env = library.make_environment("ring", n_states=4)
    agent = library.make_agent("biased", env, seed=3, bias=0.25)

    drawn = Streams(3).generator("agent").random(5) < 0.25

    assert [agent.select_action(0) for _ in range(5)] == drawn.astype(int).tolist()
    assert (agent.problem.horizon, agent.problem.discount) == (60, 0.9)
    assert agent.problem.environment == "ring"
    assert agent.config.bias == 0.25


def test_published_settings_apply_as_in_a_run() -> None:
    """Those that an agent has for an environment by name."""
    env = library.make_environment("riverswim")
    agent = library.make_agent("q_ucb", env, seed=0, steps=1000, discount=0.9)
    task = library.run(agents="q_ucb", environments="riverswim", seeds=0, steps=1000,
                       discount=0.9, executor="inline").tasks[0]  # fmt: skip

    assert agent.problem.horizon == 1000
    assert {key: getattr(agent.config, key) for key in task.agent.config} == task.agent.config


def test_they_are_stepped_in_any_loop() -> None:
    """The same seeds give the same walk."""
    walks = []
    for _ in range(2):
        env = library.make_environment("riverswim", n_states=6)
        walks.append(stepped(library.make_agent("mf_bpi", env, seed=0), env, 0, 300))

    assert walks[0] == walks[1]
    assert set(walks[0]) <= set(range(6))


def test_description_is_that_of_the_command(mfbpi: Callable[..., Any]) -> None:
    """For a name, an environment and a model; it prints as the command does."""
    told = mfbpi("describe", "--env", "riverswim", "-E", "n_states=6", "--json").json
    env = library.make_environment("riverswim", n_states=6)

    assert env.model is not None
    for where in (env, env.model, library.environment("riverswim", n_states=6)):
        found = library.describe(where)
        assert (found.delta_min, found.md_max) == (told["delta_min"], told["md_max"])
    assert "least sub-optimality gap" in repr(found)
    assert str(found.n_states) in repr(found)


def test_bound_is_that_of_the_command(mfbpi: Callable[..., Any]) -> None:
    """Value and allocation, also where it is evaluated only."""
    where = ("--env", "riverswim", "--constraint", "navigation", "--json")
    told = mfbpi("bound", "--bound", "u", *where).json
    env = library.make_environment("riverswim")

    found = library.bound("u", env, constraint="navigation")

    assert found.value == told["value"]
    assert found.allocation is not None
    assert found.allocation.tolist() == told["allocation"]
    again = library.bound("u", env, constraint="navigation", allocation=found.allocation)
    assert again.value == pytest.approx(found.value, rel=1e-12)
    uniform = mfbpi("bound", "--bound", "u", "--env", "riverswim", "--allocation", "uniform",
                    "--json").json  # fmt: skip
    assert library.bound("u", "riverswim", allocation="uniform").value == uniform["value"]


def test_bound_of_arrays(write_mdp: Callable[..., Path], mfbpi: Callable[..., Any]) -> None:
    """A model of one's own, at a discount."""
    file = write_mdp(P=TRANSITIONS, R=REWARDS)
    told = mfbpi("bound", "--bound", "u", "--mdp", file, "--discount", 0.5, "--json").json

    assert (
        library.bound("u", library.mdp(TRANSITIONS, REWARDS), discount=0.5).value == told["value"]
    )


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: library.make_environment("rivers"), "did you mean riverswim"),
        (lambda: library.make_environment("ring", n_states=(3, 4)), "stands for several values"),
        (lambda: library.make_environment("ring", slip=2.0), "slip is 2.0"),
        (lambda: library.describe("ring"), "environment ring has no exact model"),
        (lambda: library.describe(library.make_environment("ring")), "ring has no exact model"),
        (lambda: library.describe("riverswim", discount=1.0), "`discount` is 1"),
        (lambda: library.solve("riverswim", discount="0.9"), "is '0.9'; expected a number between"),  # type: ignore[arg-type]
        (
            lambda: library.solve("riverswim", discount=np.nan),
            "`discount` is nan; expected a number",
        ),
        (lambda: library.bound("u", "riverswim", allocation=np.ones((2, 2))), "expected .*S, A"),
        (lambda: library.list_plugins("agents"), "did you mean agent"),
        (lambda: library.sweep("paper/bounds", seeds=[3]), "leave out `seeds`"),
        (lambda: library.mdp([[[0.5, 0.4], GO]] * 2, REWARDS), "0.9"),
    ],
)
def test_errors_say_what_to_do(ask: Callable[[], Any], message: str) -> None:
    """And name arguments, not flags."""
    with pytest.raises(library.UsageError, match=message) as caught:
        ask()
    assert "--" not in str(caught.value)


def test_plugins_are_listed_as_the_command_lists_them(mfbpi: Callable[..., Any]) -> None:
    """All of them, in the same order."""
    told = [plugin["name"] for plugin in mfbpi("list", "--json").json["plugins"]]

    assert [plugin.name for plugin in library.list_plugins()] == told


def test_sweep_equals_the_command(mfbpi: Callable[..., Any], tmp_path: Path) -> None:
    """The grid of a file: the same tasks."""
    file = tmp_path / "grid.toml"
    file.write_text('seeds = "0:2"\n[[agent]]\nname = "plain"\n[[environment]]\nname = "ring"\n')
    assert mfbpi("sweep", file, "--executor", "inline", "--out", "command").code == 0

    results = library.sweep(file, executor="inline", out="library")

    assert isinstance(results, library.Results)
    assert results.tasks == library.load("command").tasks
    manifests = [json.loads(Path(d, "_run.json").read_text()) for d in ("library", "command")]
    assert manifests[0] == manifests[1]


def test_sweep_of_instances_returns_the_table() -> None:
    """With pandas, too."""
    study = library.sweep("paper/instances", quick=True, out="study")

    assert isinstance(study, Tabulated)
    assert len(study.to_pandas()) == study.table.num_rows > 0
    assert study.directory == Path("study")

"""What runs have learnt: their policies beside the rows, their agents in files of their own."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import mfbpi
from mfbpi.execute.saving import encoding
from mfbpi.results.storage import table
from mfbpi_core import Agent, Transition

INLINE: dict[str, Any] = {"executor": "serial"}
RIVER: dict[str, Any] = {"environments": "riverswim", "steps": 3_000, **INLINE}


@pytest.fixture
def results() -> mfbpi.Results:
    """Two agents with two seeds, kept as they are in the end."""
    return mfbpi.run(["q_learning", "psrl"], seeds=range(2), out="x", save_agent=True, **RIVER)


def test_every_run_keeps_its_policy_and_nothing_else_changes() -> None:
    """Rows, columns and identifiers are those of a run that keeps its agent, and of its plan."""
    plain = mfbpi.run("q_learning", seeds=0, out="plain", **RIVER)
    kept = mfbpi.run("q_learning", seeds=0, out="kept", save_agent=True, **RIVER)

    assert [task.task_id for task in plain.tasks] == [task.task_id for task in kept.tasks]
    frames = [pd.read_parquet(each).drop(columns="elapsed_s") for each in ("plain", "kept")]
    pd.testing.assert_frame_equal(*frames)
    assert list(frames[0].columns) == [name for name in table.ROWS.names if name != "elapsed_s"]
    assert not Path("plain/_agents").exists()
    assert plain.policy().actions is not None


def test_policy_is_what_the_agent_recommends(results: mfbpi.Results) -> None:
    """Of each run, whose agent is built again."""
    for name in ("q_learning", "psrl"):
        policy, agent = results.policy(name, seed=1), results.agent(name, seed=1)
        assert policy.table.tolist() == [agent.recommend(state) for state in range(5)]
        assert [policy(state) for state in range(5)] == policy.table.tolist()


def test_agent_learns_on_as_if_it_had_not_been_saved(results: mfbpi.Results) -> None:
    """The same transitions make the same tables and draws of two copies, and change them."""
    first, second = (results.agent("psrl", seed=0) for _ in range(2))
    taken = [[_step(agent, n) for n in range(300)] for agent in (first, second)]

    assert taken[0] == taken[1]
    assert first.state_dict()["arrays"]["counts.visits"].sum() == 3_300


def _step(agent: Agent, n: int) -> int:
    action = agent.select_action(n % 5)
    agent.update(Transition(n % 5, action, 0.5, (n + 1) % 5, terminated=False, truncated=False))
    return action


def test_policy_is_written_in_three_formats(results: mfbpi.Results) -> None:
    """With the same actions; another ending is refused."""
    policy = results.policy("psrl", seed=0)
    for ending in ("csv", "json", "npz"):
        policy.write(f"p.{ending}")

    rows = list(csv.DictReader(Path("p.csv").read_text().splitlines()))
    assert [int(row["action"]) for row in rows] == policy.table.tolist()
    assert json.loads(Path("p.json").read_text())["actions"] == policy.table.tolist()
    with np.load("p.npz", allow_pickle=False) as arrays:
        assert arrays["actions"].tolist() == policy.table.tolist()
    with pytest.raises(mfbpi.UsageError, match=r"ends in \.csv, \.json, \.npz"):
        policy.write("p.txt")


def test_names_are_kept() -> None:
    """Of states and actions, where the environment has some."""
    results = mfbpi.run("q_learning", "two_rooms", seeds=0, steps=100, out="x", **INLINE)
    policy = results.policy()

    assert policy.rows()[0][1] == "0,0"
    assert policy.rows()[0][3] in ("up", "right", "down", "left")


def test_which_run_must_be_clear(results: mfbpi.Results) -> None:
    """One of several is not guessed; a seed that was not run is named with those that were."""
    with pytest.raises(mfbpi.UsageError, match=r"2 runs may be meant; say `agent`, `env`"):
        results.policy(seed=0)
    with pytest.raises(mfbpi.UsageError, match="no run is the one asked for; there are: "):
        results.policy(seed=7)


def test_a_state_that_is_none_is_refused(results: mfbpi.Results) -> None:
    """With the range."""
    with pytest.raises(mfbpi.UsageError, match="integer from 0 to 4"):
        results.policy("psrl", seed=0)(5)


def test_a_stopping_rule_recommends() -> None:
    """The policy is that of the verdict, which the provenance has too."""
    results = mfbpi.run(
        "fw_bpi",
        mfbpi.environment("riverswim", n_states=3),
        seeds=0,
        steps=60_000,
        discount=0.9,
        stop="kl_box",
        out="x",
        **INLINE,
    )
    told = table.provenance(pq.read_table(results.files[0]))["stopping"]
    assert told["status"] == "stopped"
    assert results.policy().table.tolist() == told["policy"]


def test_collected_and_reproduced(results: mfbpi.Results) -> None:
    """Neither sees more than the rows."""
    assert mfbpi.collect("x").n_rows == results.table.num_rows
    assert mfbpi.reproduce(results.files[0]).is_same


def test_resumed_without_agents_is_said() -> None:
    """Kept results have none; those run again do."""
    mfbpi.run("q_learning", seeds=0, out="x", **RIVER)
    with pytest.warns(mfbpi.MfbpiWarning, match="1 of the results that are kept were made without"):
        again = mfbpi.run(
            "q_learning", seeds=0, out="x", save_agent=True, if_exists="resume", **RIVER
        )
    with pytest.raises(mfbpi.UsageError, match="was not kept; run with `save_agent`"):
        again.agent()


def test_an_agent_of_before_does_not_pass_for_this_run(results: mfbpi.Results) -> None:
    """Run again without agents, results have none, whatever lies there."""
    again = mfbpi.run(
        ["q_learning", "psrl"], seeds=range(2), out="x", if_exists="overwrite", **RIVER
    )
    with pytest.raises(mfbpi.UsageError, match="was not kept"):
        again.agent("psrl", seed=0)


def test_replicas_are_not_saved_one_by_one() -> None:
    """What they share has no file of one seed: said before anything runs."""
    with pytest.raises(mfbpi.UsageError, match="leave `replicas` away"):
        mfbpi.run("q_learning", seeds=0, save_agent=True, replicas=2, **RIVER)


def agent_file(results: mfbpi.Results) -> Path:
    """The file of the agent psrl with seed 0."""
    task = next(t for t in results.tasks if (t.agent.name, t.seed) == ("psrl", 0))
    return Path(f"x/_agents/{task.task_id}.npz")


class Evil:
    """Writes a file where it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str, ...]]:
        return Path.touch, (Path("pwned"),)


def test_pickles_are_not_read(results: mfbpi.Results) -> None:
    """An array of objects is refused before it is looked into."""
    file = agent_file(results)
    np.savez(file, tree=np.array([Evil()], dtype=object))
    with pytest.raises(mfbpi.UsageError, match="is not the agent of psrl on riverswim, seed 0"):
        results.agent("psrl", seed=0)
    assert not Path("pwned").exists()


def test_files_of_others_are_refused(results: mfbpi.Results) -> None:
    """Another task's, another size's, another action's, a link, and no archive at all."""
    file = agent_file(results)
    content = file.read_bytes()

    def refused(cause: str) -> None:
        with pytest.raises(mfbpi.UsageError, match=cause):
            results.agent("psrl", seed=0)

    for change, cause in (
        (lambda tree: tree.update(task="{}"), "it is that of another task"),
        (lambda tree: tree.update(format=9), "another version"),
        (lambda tree: tree["problem"].update(n_states=-1), "expected integers of 1 or more"),
        (lambda tree: tree["problem"].update(n_states=4), "expected shape"),
        (lambda tree: tree["problem"].pop("horizon"), "has other fields"),
        (lambda tree: tree["agent"]["arrays"].pop("policy"), "is missing"),
        (lambda tree: tree["agent"]["arrays"]["policy"].fill(10**9), "expected 0 to 1"),
    ):
        tree = encoding.from_bytes(content)
        change(tree)
        file.write_bytes(encoding.to_bytes(tree))
        refused(cause)
    file.write_bytes(b"no archive")
    refused("is not the agent of")
    file.rename("elsewhere")
    file.symlink_to(Path("elsewhere").absolute())
    refused("it is a link")


@pytest.mark.parametrize(
    "saved",
    [
        b"[]",
        b"3",
        b'{"actions": [0, 2, 0, 0, 0], "n_actions": 2}',
        b'{"actions": [0, true], "n_actions": 2}',
        b'{"actions": "00000", "n_actions": 2}',
        b'{"actions": [0], "n_actions": 2, "state_names": ["a", "b"]}',
        b'{"actions": [0], "n_actions": 2, "action_names": [1, 2]}',
        b"not JSON",
        b"[" * 100_000,
    ],
)
def test_invented_policies_are_refused(saved: bytes) -> None:
    """The message names the file."""
    results = mfbpi.run("q_learning", seeds=0, out="x", **RIVER)
    content = pq.read_table(results.files[0])
    metadata = {**content.schema.metadata, table.POLICY_KEY: saved}
    pq.write_table(content.replace_schema_metadata(metadata), results.files[0])

    with pytest.raises(mfbpi.UsageError, match=results.files[0].name):
        mfbpi.load("x").policy()


class Mine(Agent):
    """Of this session; swims up the river."""

    best = 1

    def select_action(self, observation: Any) -> int:
        """The best."""
        return self.best

    def update(self, transition: Transition) -> None:
        """Learn nothing."""

    def recommend(self, observation: Any) -> int:
        """The best."""
        return self.best


def test_agents_of_this_session_are_loaded_and_reproduced_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without saying where they are; in another session the class is given, as it was."""
    ran = mfbpi.run(Mine, seeds=0, out="mine", save_agent=True, **RIVER)
    name = ran.tasks[0].agent.name
    assert ran.agent().recommend(0) == 1
    assert mfbpi.reproduce(ran.files[0]).is_same

    monkeypatch.delitem(sys.modules, f"mfbpi_own_{name[8:24]}")  # as in another process
    with pytest.raises(mfbpi.UsageError, match=f"the agent is {name}, a class of the session that"):
        ran.agent()
    assert ran.agent(code=Mine).recommend(0) == 1

    monkeypatch.delitem(sys.modules, f"mfbpi_own_{name[8:24]}")
    monkeypatch.setattr(Mine, "best", 0)
    with pytest.raises(mfbpi.UsageError, match=r"with `code`; given is session#\w+:mine"):
        ran.agent(code=Mine)
    with pytest.raises(mfbpi.UsageError, match=r"with `code`; given is session#\w+:mine"):
        mfbpi.reproduce(ran.files[0], code=[Mine])

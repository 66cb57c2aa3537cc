"""States out of files that may be anybody's: what compiled code would follow is looked at first."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mfbpi
from mfbpi_core import Transition
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError, PluginError
from mfbpi_core.running import generators
from mfbpi_core.running.interaction import Interaction

TABULAR = (
    *("mf_bpi", "fw_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas"),
    *("psrl", "q_ucb", "q_learning", "uniform"),
)


def trained(name: str, env: Any, steps: int, **settings: Any) -> Any:
    """An agent that has learnt a little."""
    agent = mfbpi.make_agent(name, env, seed=0, **settings)
    observation, _ = env.reset(seed=0)
    for _ in range(steps):
        action = agent.select_action(observation)
        following, reward, terminated, truncated, _ = env.step(action)
        agent.update(Transition(observation, action, reward, following, terminated, truncated))
        observation = env.reset()[0] if terminated or truncated else following
    return agent


def in_reach(name: str) -> tuple[int, int]:
    """Numbers beside those that an array of integers can have."""
    return (-2, 2**60) if name == "following" else (-1, 2**60)


@pytest.mark.parametrize("agent", TABULAR)
def test_numbers_that_lead_out_of_arrays_are_refused(agent: str) -> None:
    """Every array of integers, at its first and at its last entry; and none of it is taken over."""
    env = mfbpi.make_environment("riverswim")
    fresh, state = mfbpi.make_agent(agent, env, seed=1), trained(agent, env, 50).state_dict()
    before = copy.deepcopy(fresh.state_dict())
    integers = [n for n, each in state["arrays"].items() if each.dtype.kind == "i" and each.size]
    assert integers, "nothing was tried"
    for name in integers:
        low, high = in_reach(name.rpartition(".")[2])
        for wrong, place in ((low, 0), (high, -1)):
            forged = copy.deepcopy(state)
            array = forged["arrays"][name]
            array.flat[place] = np.clip(wrong, np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)
            with pytest.raises(CheckpointError, match=f"saved array '{name}' has numbers"):
                fresh.load_state_dict(forged)
    np.testing.assert_equal(fresh.state_dict()["arrays"], before["arrays"])
    fresh.load_state_dict(state)


@pytest.mark.parametrize("agent", TABULAR)
def test_other_kinds_of_numbers_are_refused(agent: str) -> None:
    """Floats for integers would be cut, and NaN would be planned with."""
    env = mfbpi.make_environment("riverswim")
    fresh, state = mfbpi.make_agent(agent, env, seed=1), trained(agent, env, 50).state_dict()
    for name, array in state["arrays"].items():
        wrong = np.full(array.shape, np.nan) if array.dtype.kind == "f" else array + 0.5
        for each in (wrong, array.astype("U4"), "text", None):
            forged = {**state, "arrays": {**state["arrays"], name: each}}
            with pytest.raises(CheckpointError, match=f"saved array '{name}'"):
                fresh.load_state_dict(forged)


def _cell(state: StateDict, **changes: Any) -> StateDict:
    forged = copy.deepcopy(state)
    forged["learner"]["lanes"][0]["replay"]["columns"].update(changes)
    return forged


def test_cells_and_actions_of_a_buffer_are_places() -> None:
    """Cells of DeepSea of size 4 are 0 to 15, and 16 after the last step; actions are 0 and 1."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    state = trained("bsp", env, 30).state_dict()
    fresh = mfbpi.make_agent("bsp", env, seed=1)
    columns = state["learner"]["lanes"][0]["replay"]["columns"]
    for name, last in (("now", 16), ("next", 16), ("action", 1)):
        for wrong in (-1, last + 1):
            with pytest.raises(CheckpointError, match=f"other numbers for '{name}' than 0 to"):
                fresh.load_state_dict(_cell(state, **{name: np.full_like(columns[name], wrong)}))
        with pytest.raises(CheckpointError, match=f"other numbers for '{name}' than 0 to"):
            fresh.load_state_dict(_cell(state, **{name: columns[name].astype(float)}))
        with pytest.raises(CheckpointError, match=f"other numbers for '{name}' than 0 to"):
            fresh.load_state_dict(_cell(state, **{name: columns[name].astype(bool)}))
    fresh.load_state_dict(state)


@pytest.mark.parametrize("value", ["5", None, True, [1]])
def test_steps_of_a_replica_are_a_number(value: object) -> None:
    """A text is not taken for a clock."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    state = trained("bsp", env, 5).state_dict()
    state["learner"]["lanes"][0]["steps"] = value
    with pytest.raises(CheckpointError, match=r"steps has .* as its kind; expected a number"):
        mfbpi.make_agent("bsp", env, seed=1).load_state_dict(state)


def _at(state: StateDict, where: str) -> tuple[Any, Any]:
    """The part of a state that holds a place, and the last key."""
    part: Any = state
    *path, last = where.split(".")
    for key in path:
        part = part[int(key) if key.isdigit() else key]
    return part, last


FORGED: list[tuple[str, Any]] = [
    *(("learner.updates", v) for v in (23.5, np.inf, True, "5", None, -1, 2**63)),
    *(("learner.lanes.0.steps", v) for v in (2.5, 2**63)),
    *(("learner.lanes.0.replay.added", v) for v in (30.0, 30.5, np.inf, -1, 2**63, "5", True)),
    *(("learner.networks.0.step", v) for v in (2**63, 1.5, np.float64(3.0))),
    *(("learner.networks.0.second_moment.5", v) for v in (-1.0, np.nan, np.inf)),
    *(("learner.networks.0.flat.5", v) for v in (np.nan, -np.inf)),
    *(("learner.networks.0.table.blocks.5", v) for v in (np.nan,)),
    *(("learner.lanes.0.replay.columns.reward.3", v) for v in (np.nan, np.inf)),
    *(("learner.lanes.0.replay.other", v) for v in (1,)),
    *(("learner.lanes.0.smallest_gap", v) for v in (np.inf, 10**400, np.nan, "1")),
    *(("learner.lanes.0.rng.has_uint32", v) for v in (-1, 1.5)),
    *(("learner.lanes.0.replay.rng.state.inc", v) for v in (0, 2, 1e30)),
    ("learner", None),
    ("learner", 7),
]


@pytest.mark.parametrize(("where", "value"), FORGED)
def test_nothing_of_a_forged_state_is_taken_over(where: str, value: Any) -> None:
    """Counts with fractions, generators that draw for ever, numbers that are none."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    small = {"batch_size": 4, "ensemble_size": 3, "buffer_size": 20}
    fresh = mfbpi.make_agent("dbmf_bpi", env, seed=1, **small)
    state = trained("dbmf_bpi", env, 30, **small).state_dict()
    before = copy.deepcopy(fresh.state_dict())
    part, last = _at(state, where)
    part[int(last) if isinstance(part, np.ndarray) else last] = value

    with pytest.raises(CheckpointError):
        fresh.load_state_dict(state)

    np.testing.assert_equal(fresh.state_dict(), before)


@pytest.mark.parametrize("state", [None, 7, [], {}, {"learner": {}, "other": 1}])
def test_no_state_of_a_deep_agent(state: Any) -> None:
    """Said as an error of what is loaded, not as one of types."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    with pytest.raises(CheckpointError):
        mfbpi.make_agent("bsp", env, seed=1).load_state_dict(state)


def test_counts_of_numpy_do_not_overflow() -> None:
    """A count of 250 in eight bits would be 0 six steps later."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    fresh = mfbpi.make_agent("bsp", env, seed=1)
    state = trained("bsp", env, 5).state_dict()
    state["learner"]["lanes"][0]["steps"] = np.uint8(250)
    fresh.load_state_dict(state)
    assert type(fresh.state_dict()["learner"]["lanes"][0]["steps"]) is int


def test_interrupted_loading_takes_nothing_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the last network is restored."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    fresh, state = mfbpi.make_agent("bsp", env, seed=1), trained("bsp", env, 5).state_dict()
    before, network = copy.deepcopy(fresh.state_dict()), fresh.learner.networks[0]  # type: ignore[attr-defined]
    load = network.load_state_dict

    def interrupted(state: StateDict) -> None:
        monkeypatch.undo()
        load(state)
        raise KeyboardInterrupt

    monkeypatch.setattr(network, "load_state_dict", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fresh.load_state_dict(state)

    np.testing.assert_equal(fresh.state_dict(), before)


@pytest.mark.parametrize("place", [-1, 625, 10**6, "5", None])
def test_generators_stand_within_their_numbers(place: object) -> None:
    """numpy reads on from wherever it is told to, outside of what it owns."""
    twister = generators.generator_state(np.random.RandomState(0), "")
    twister["state"]["pos"] = place
    bits = generators.generator_state(np.random.Generator(np.random.MT19937(0)), "")
    bits["state"]["pos"] = place
    philox = generators.generator_state(np.random.Generator(np.random.Philox(0)), "")
    philox["buffer_pos"] = place

    for each in (twister, bits, philox):
        with pytest.raises(CheckpointError, match="is at place"):
            generators.generator(each)


@pytest.mark.parametrize("state", [-1, 5, 10**9, "0", None, 1.5])
def test_the_state_that_a_run_goes_on_from_is_one(state: object) -> None:
    """RiverSwim of 5 states has 0 to 4; a compiled agent would follow any other."""
    env = mfbpi.make_environment("riverswim")
    run = Interaction(env, mfbpi.make_agent("q_learning", env, seed=0), seed=0)
    saved = {**run.state_dict(), "observation": state}

    with pytest.raises(PluginError, match="expected a state, an integer from 0 to 4"):
        run.load_state_dict(saved)


@pytest.mark.parametrize(
    ("agent", "name", "wrong"),
    [
        ("dbmf_bpi", "level", 1e12),
        ("dbmf_bpi", "level", -0.5),
        ("dbmf_bpi", "level", np.nan),
        ("dbmf_bpi", "smallest_gap", -1.0),
        ("bsp", "member", 20),
        ("bsp", "member", -1),
        ("bsp2", "steps", -1),
    ],
)
def test_numbers_that_deep_agents_act_by_are_in_range(agent: str, name: str, wrong: float) -> None:
    """A level beyond 1 would read what lies behind the members."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    fresh, state = mfbpi.make_agent(agent, env, seed=1), trained(agent, env, 5).state_dict()
    state["learner"]["lanes"][0][name] = wrong
    with pytest.raises(CheckpointError, match=rf"saved \w+\.{name} is .*; expected 0"):
        fresh.load_state_dict(state)


DEEP = ("bsp", "bsp2", "dbmf_bpi", "ensemble_ucb", "ids")


def leaves(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something is saved, inner parts included."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield from leaves(item, (*path, key))


def forged(state: StateDict, path: tuple[Any, ...], wrong: object) -> StateDict:
    """A copy with something else in one place."""
    changed = part = copy.deepcopy(state)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = wrong
    return changed


@pytest.mark.parametrize("agent", DEEP)
@pytest.mark.parametrize("task", [("slipping_deep_sea", {"size": 4}), ("cartpole_swingup", {})])
def test_of_a_refused_state_nothing_is_taken_over(agent: str, task: tuple[str, Any]) -> None:
    """Wherever an object of another kind stands, the error is one, and the agent is as it was."""
    small = {"ensemble_size": 3, "hidden": 4, "batch_size": 8, "buffer_size": 50}
    env = mfbpi.make_environment(task[0], **task[1])
    state = trained(agent, env, 30, **small).state_dict()
    fresh = mfbpi.make_agent(agent, env, seed=1, **small)
    before = copy.deepcopy(fresh.state_dict())
    for path in leaves(state):
        for wrong in (object(), "text", [None], {}):
            with pytest.raises(CheckpointError):
                fresh.load_state_dict(forged(state, path, wrong))
    np.testing.assert_equal(fresh.state_dict(), before)
    fresh.load_state_dict(state)
    np.testing.assert_equal(fresh.state_dict(), state)


@pytest.mark.parametrize("place", [-1, 625, 10**6])
def test_generators_of_deep_agents_stand_within_their_numbers(place: int) -> None:
    """That of a user may be any of numpy's, and compiled functions draw from it."""
    env = mfbpi.make_environment("slipping_deep_sea", size=4)
    made = mfbpi.make_agent("bsp2", env, seed=0)
    agent = type(made)(made.problem, made.config, np.random.Generator(np.random.MT19937(0)))
    state = agent.state_dict()
    agent.load_state_dict(state)
    state["learner"]["lanes"][0]["rng"]["state"]["pos"] = place
    with pytest.raises(CheckpointError, match="is at place"):
        agent.load_state_dict(state)

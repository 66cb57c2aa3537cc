"""Objects in the place of names: models, files of models, environments of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import mfbpi as library
from mfbpi.instances.instance import DEFAULT_DISCOUNT
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.task import Task
from mfbpi_core.errors import MfbpiNote, UsageError

STAY, GO = [1.0, 0.0], [0.0, 1.0]
P = np.array([[STAY, GO], [GO, [0.3, 0.7]]])
R = np.array([[0.0, 0.1], [0.7, 0.0]])

FEW: dict[str, Any] = {"seeds": range(2), "steps": 60, "metrics": "rate", "executor": "inline"}


class MyGym(gymnasium.Env[Any, Any]):
    """A class as people have it in a notebook."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        """Begin."""
        super().reset(seed=seed, options=options)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Go where the action says."""
        return action, 0.0, False, False, {}


def model(reward: float = 0.1) -> TabularMDP:
    """Two states; waiting in the second may lead back."""
    return library.mdp(P, [[0.0, reward], [0.7, 0.0]], initial=[0.25, 0.75])


def rows(results: library.Results) -> list[dict[str, Any]]:
    """The rows but for the time that they took."""
    return results.table.select(["task_id", "seed", "step", "metric", "value"]).to_pylist()


def test_a_model_is_run_from_a_file_named_by_what_it_holds() -> None:
    """Equal models are equal tasks, which any process can rebuild from their JSON."""
    results = library.run("biased", model(), **FEW)
    (file,) = Path("models").iterdir()
    again = library.run("biased", [model()], **FEW)
    other = library.run("biased", model(0.2), **FEW)

    assert rows(again) == rows(results)
    assert len(list(Path("models").iterdir())) == 2
    label = results.tasks[0].environment.shown
    assert label == file.stem == library.environment(model()).label
    assert other.tasks[0].environment.shown not in (label, "")
    task = Task.from_json(results.tasks[0].to_json())
    assert task.environment.config["file"] == str(file)
    assert library.reproduce(results.files[0]).is_same


def test_a_file_in_the_place_of_a_model_is_not_taken_for_it() -> None:
    """Whoever put it there."""
    results = library.run("biased", model(), **FEW)
    (file,) = Path("models").iterdir()
    library.run("biased", model(0.2), **FEW)
    (other,) = set(Path("models").iterdir()) - {file}
    file.write_bytes(other.read_bytes())

    assert rows(library.run("biased", model(), **FEW)) == rows(results)


def test_results_say_what_files_held() -> None:
    """A model that is edited under one name is not mixed with what it was."""
    few = {"out": "x", **FEW, "seeds": range(1)}
    file = Path("two.npz")
    np.savez(file, P=P, R=R)
    (before,) = library.run("biased", file, **few).found
    np.savez(file, P=P, R=0.5 * np.array(R))
    with pytest.warns(MfbpiNote) as told:
        both = library.run("biased", file, if_exists="resume", **{**few, "seeds": range(2)})

    then, now = (found.origin["made_of"]["two.npz"] for found in both.found)
    assert before.origin["made_of"]["two.npz"] == then != now
    said = [str(each.message) for each in told]
    assert any(f"other versions: two.npz {then} then and {now} now" in each for each in said)
    assert any(f"two.npz {then} in 1" in each for each in said)


def test_the_file_holds_the_model_exactly() -> None:
    """Every array of it, and what describes it; those that are Bernoulli and end too."""
    paid = [[0.0, 0.1], [0.0, 0.0]]
    ending = library.mdp(P, paid, terminal=[False, True], reward_law="bernoulli")
    rng = np.random.default_rng(0)
    drawn = library.mdp(rng.dirichlet(np.ones(7), size=(7, 3)), rng.random((7, 3, 7)))
    for given in (model(), ending, drawn):
        choice = library.environment(given)
        read = library.make_environment(choice).model
        assert read is not None
        for name in ("transitions", "initial", "terminal"):
            np.testing.assert_array_equal(getattr(read, name), getattr(given, name))
        np.testing.assert_allclose(read.mean_rewards, given.mean_rewards, rtol=1e-15)
        assert (read.reward_law, read.reward_range) == (given.reward_law, given.reward_range)
        assert library.describe(choice).delta_min == library.describe(given).delta_min
        assert library.make_environment(choice).protocol.discount == DEFAULT_DISCOUNT


def test_parameters_and_labels_of_a_model() -> None:
    """As of a name: what is set is in the label, unless that is given."""
    name = library.environment(model()).label

    limited = library.environment(model(), max_episode_steps=7)
    several = library.environment(model(), max_episode_steps=(7, 8), label="two")

    assert limited.label == f"{name}(max_episode_steps=7)"
    assert [each.label for each in several.expand()] == [
        "two(max_episode_steps=7)",
        "two(max_episode_steps=8)",
    ]
    assert library.make_environment(limited).max_episode_steps == 7


def test_paths_of_models_are_taken_everywhere(mfbpi: Callable[..., Any]) -> None:
    """The same tasks as those of the name with the file."""
    file = Path("two.npz")
    np.savez(file, P=P, R=R)

    results = library.run("biased", [file], **FEW)

    named = library.run("biased", "mdp_file:two.npz", **FEW)
    assert rows(results) == rows(named)
    assert library.describe(file).n_states == library.make_environment(file).n_states == 2
    with pytest.raises(library.UsageError, match=r"'two\.npz' is a file; give 'mdp_file:two\.npz'"):
        library.run("biased", "two.npz", **FEW)
    with pytest.raises(library.UsageError, match=r"there is no file absent\.npz"):
        library.run("biased", Path("absent.npz"), **FEW)


@pytest.mark.parametrize("where", ["ring", library.environment("ring"), model()])
def test_agents_and_play_take_what_environments_are_made_of(where: Any) -> None:
    """Names, choices and models; nothing is left behind."""
    agent = library.make_agent("biased", where, seed=0)
    moments = list(library.play(lambda _: 1, where, steps=3))

    assert len(moments) == 3
    assert agent.problem.n_actions == 2
    assert not Path("models").exists()


def test_objects_of_gymnasium_are_taken_where_nothing_is_rebuilt() -> None:
    """An agent for one, a description of one, and a loop in one."""
    lake = gymnasium.make("FrozenLake-v1")

    assert library.make_agent("biased", lake, seed=0).problem.n_states == 16
    assert library.describe(lake).n_states == 16
    assert len(list(library.play(lambda _: 1, lake, steps=3))) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (gymnasium.make("FrozenLake-v1"), r"TimeLimit.*'gymnasium:FrozenLake-v1'"),
        (MyGym(), r"MyGym; .*'gymnasium:MODULE:ID' of a module.*exact model"),
        (MyGym, r"the class .*MyGym; .*gymnasium\.register\(id=ID"),
        ((P, R), r"ndarray of shape \(2, 2, 2\).*`mfbpi.mdp\(P, R\)`"),
        (P, r"ndarray of shape \(2, 2\).*`mfbpi.mdp\(P, R\)`"),
        (None, "`environments` is None"),
        (3, "`environments` is 3"),
    ],
)
def test_what_no_worker_could_rebuild_is_refused_with_what_to_do(wrong: Any, message: str) -> None:
    """Alone, among others, and as a choice; no message dumps an array."""
    for given in (wrong, ["ring", wrong]):
        expected = message if given is wrong else "`environments` has"
        with pytest.raises(library.UsageError, match=expected) as caught:
            library.run("biased", given, **FEW)
        assert len(str(caught.value)) < 700
    with pytest.raises(library.UsageError, match="the environment is"):
        library.environment(wrong)


def test_environments_that_are_made_already_are_refused_by_runs() -> None:
    """Ours too; elsewhere they are taken as they are."""
    env = library.make_environment("ring")

    with pytest.raises(library.UsageError, match=r"Ring; expected .*instead of one that is made"):
        library.run("biased", env, **FEW)
    assert library.make_environment(env) is env
    with pytest.raises(library.UsageError, match="takes no parameters any more"):
        library.make_environment(env, n_states=4)


@pytest.mark.parametrize("wrong", [MyGym, (P, R), [P, R], 3, None, object()])
def test_what_is_no_environment_is_refused_everywhere(wrong: Any) -> None:
    """By what makes, describes, bounds, plays and teaches."""
    calls: list[Callable[[], object]] = [
        lambda: library.make_environment(wrong),
        lambda: library.describe(wrong),
        lambda: library.bound("u", wrong),
        lambda: library.make_agent("biased", wrong, seed=0),
        lambda: next(library.play(lambda _: 1, wrong)),
    ]
    for call in calls:
        with pytest.raises(library.UsageError, match="is no environment") as caught:
            call()
        assert len(str(caught.value)) < 500


def test_parameters_are_added_to_a_choice() -> None:
    """Label and what it had stay, as where an environment is made of one."""
    ring = library.environment("ring", n_states=4)

    assert library.environment(ring, slip=0.5).parameters == {"n_states": 4, "slip": 0.5}
    assert library.agent(library.agent("biased", label="b"), bias=0.25).label == "b"
    assert library.make_environment(ring, slip=0.5).n_states == 4


@pytest.mark.parametrize("wrong", [None, 3, model(), MyGym, P])
def test_what_is_no_agent_is_refused(wrong: Any) -> None:
    """With what is expected, and never the content of arrays."""
    with pytest.raises(library.UsageError, match=r"`agents` (is|has) .*expected names, classes"):
        library.run(wrong, "ring", **FEW)


@pytest.mark.parametrize(
    ("given", "words"),
    [(Fraction, "the class fractions.Fraction"), ("go", "'go'"), (None, "None")],
)
def test_play_wants_a_policy(given: Any, words: str) -> None:
    """A class is none, nor is what cannot be called."""
    with pytest.raises(
        UsageError, match=rf"the policy is {words}; .* `agent.recommend` or .*make_agent"
    ):
        next(library.play(given, "riverswim"))

"""Agents without packaging: a class in a file, or of this session."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import mfbpi as library
from mfbpi_core import Agent, Transition, parameter

FILE = '''
import attrs

from mfbpi_core import Agent, parameter


@attrs.frozen(kw_only=True)
class Config:
    """Its parameters."""

    action: int = parameter(1, "what it does", ge=0, le=1)


class AlwaysSame(Agent):
    """Does one thing."""

    def select_action(self, observation):
        return self.config.action

    def update(self, transition):
        pass

    def recommend(self, observation):
        return self.config.action


class Pixels(AlwaysSame):
    needs = {"arrays"}


NUMBER = 3
'''

RING: dict[str, Any] = {"environments": "ring", "seeds": range(2), "metrics": "rate"}


class Mine(Agent):
    """An agent of a notebook."""

    @attrs.frozen(kw_only=True)
    class Config:
        """Its parameters."""

        bias: float = parameter(0.5, "probability of action 1", ge=0.0, le=1.0)

    def select_action(self, observation: int) -> int:
        """As the biased agent of the toys."""
        return int(self.rng.random() < self.config.bias)

    def update(self, transition: Transition) -> None:
        """Learn nothing."""

    def recommend(self, observation: int) -> int:
        """Always the same."""
        return 1


@pytest.fixture
def file() -> Path:
    """An agent in the working directory."""
    path = Path("my_agent.py")
    path.write_text(FILE)
    return path


@pytest.fixture
def cell() -> Callable[..., dict[str, Any]]:
    """What a cell of a notebook defines."""

    def run(text: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(text, "a cell", "exec"), names)
        return names

    return run


def values(results: library.Results) -> list[float]:
    """What was measured."""
    found: list[float] = results.table["value"].to_pylist()
    return found


def test_class_of_a_file_runs_in_workers(file: Path, mfbpi: Callable[..., Any]) -> None:
    """From the command and from Python, by its path; its label is the name of its class."""
    given = ("--agent", f"./{file}:AlwaysSame", "-A", "action=0", "--metric", "rate")
    ended = mfbpi("run", *given, "--env", "ring", "--seeds", "0:2", "--out", "command", "--jobs", 1)
    assert ended.code == 0, ended.err

    agents = library.agent(f"./{file}:AlwaysSame", action=0)
    results = library.run(agents=agents, out="library", jobs=1, **RING)

    assert results.tasks == library.load("command").tasks
    assert {task.agent.shown for task in results.tasks} == {"always_same(action=0)"}
    assert set(results.table["agent.action"].to_pylist()) == {0}


def test_results_name_file_and_content_and_no_path(file: Path) -> None:
    """In the task, the manifest and the metadata."""
    results = library.run(
        agents=f"{file.absolute()}:AlwaysSame", out="x", executor="inline", **RING
    )

    origin = results.found[0].origin
    (known,) = [name for name in origin["plugins"] if name.startswith("my_agent.py#")]
    assert known in origin["task"]["agent"]["name"]
    for text in (json.dumps(origin), Path("x/_run.json").read_text()):
        assert str(Path.cwd()) not in text


def test_changed_file_is_another_agent(file: Path) -> None:
    """It is not resumed; the same file is, without a word."""
    again: dict[str, Any] = {"agents": f"{file}:AlwaysSame", "out": "x", "executor": "inline"}
    library.run(**again, **RING)
    library.run(**again, if_exists="resume", **{**RING, "seeds": range(3)})
    file.write_text(FILE.replace("return self.config.action", "return 0"))

    with pytest.raises(library.UsageError, match=r"results of other settings.*my_agent.py#"):
        library.run(**again, if_exists="resume", **RING)


def test_module_that_a_file_imports_is_part_of_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own, and what it imports in turn; not what is installed."""
    for name, text in (("own_rules", "import own_numbers"), ("own_numbers", "ONE = 1")):
        Path(f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(Path.cwd())
    file.write_text(FILE + "import own_rules\n")
    again: dict[str, Any] = {"agents": f"{file}:AlwaysSame", "out": "x", "executor": "inline"}
    library.run(**again, **RING)
    library.run(**again, if_exists="resume", **{**RING, "seeds": range(3)})
    Path("own_numbers.py").write_text("ONE = 2")

    with pytest.raises(library.UsageError, match="own_numbers was edited after this process had"):
        library.run(**again, if_exists="resume", **RING)
    importlib.reload(sys.modules["own_numbers"])
    with pytest.raises(library.UsageError, match=r"results of other settings.*my_agent.py#"):
        library.run(**again, if_exists="resume", **RING)
    for name in ("own_rules", "own_numbers"):
        del sys.modules[name]


def test_class_of_a_session_draws_as_the_toy_does() -> None:
    """So it measures the same; it may have parameters."""
    own = library.run(agents=library.agent(Mine, bias=0.25), executor="inline", **RING)
    toy = library.run(agents=library.agent("biased", bias=0.25), executor="inline", **RING)

    assert {task.agent.shown for task in own.tasks} == {"mine(bias=0.25)"}
    assert values(own) == values(toy)


def test_class_of_a_session_is_sent_to_workers(cell: Callable[..., dict[str, Any]]) -> None:
    """By its value, with what it uses: no worker could import a notebook."""
    again = cell(FILE.replace("return self.config.action", "return NUMBER - 2"))["AlwaysSame"]
    here = library.run(agents=again, executor="inline", out="here", **RING)
    there = library.run(agents=again, jobs=2, out="there", **RING)

    assert there.failures == ()
    assert here.tasks == there.tasks
    assert values(here) == values(there)


def test_class_of_a_session_is_known_by_its_code(cell: Callable[..., dict[str, Any]]) -> None:
    """Wherever it is written; another rule is another agent."""
    other = FILE.replace("return self.config.action", "return 0")
    constant = FILE.replace('"""Does one thing."""', "bias = 0.5")
    texts = (FILE, f"\n\n{FILE}", other, constant, constant.replace("0.5", "0.6"))
    names = [library.agent(cell(text)["AlwaysSame"]).name for text in texts]

    assert names[0] == names[1]
    assert len({*names}) == 4


def test_class_of_a_session_is_built_alone() -> None:
    """For a loop of one's own."""
    agent = library.make_agent(Mine, library.make_environment("ring"), seed=0, bias=1.0)

    assert agent.select_action(0) == 1


def test_cached_functions_are_sent_too(cell: Callable[..., dict[str, Any]]) -> None:
    """Though a pickle has them by name; one may call itself."""
    text = FILE.replace("return self.config.action", "return rule(observation) % 2")
    rule = "@functools.cache\ndef rule(n): return 1 if n == 0 else rule(n - 1) + 1\n"
    cached = cell(f"import functools\n{rule}{text}")["AlwaysSame"]
    here = library.run(agents=cached, executor="inline", out="here", **RING)
    there = library.run(agents=cached, jobs=2, out="there", **RING)

    assert there.failures == ()
    assert values(here) == values(there)


def test_class_that_was_edited_after_it_was_chosen(cell: Callable[..., dict[str, Any]]) -> None:
    """It is not run as what it was; as it was again, it is."""
    names = cell(FILE.replace("return self.config.action", "return NUMBER - 2"))
    chosen = library.agent(names["AlwaysSame"])
    names["NUMBER"] = 2
    for agents in ([chosen], [names["AlwaysSame"], chosen]):
        with pytest.raises(library.UsageError, match=r"AlwaysSame, .*, was edited after it had"):
            library.run(agents=agents, executor="inline", out="x", **RING)
    names["NUMBER"] = 3
    kept = library.run(agents=chosen, executor="inline", out="x", save_agent=True, **RING)
    names["NUMBER"] = 2

    for code in ((), names["AlwaysSame"]):
        with pytest.raises(library.UsageError, match="give the class, as it was then, with"):
            kept.agent(seed=0, code=code)


def test_module_of_a_class_is_not_edited_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers would import another one."""
    monkeypatch.syspath_prepend(Path.cwd())
    Path("agents_of_test.py").write_text(FILE)
    found = importlib.import_module("agents_of_test").AlwaysSame
    library.run(agents=found, executor="inline", out="x", **RING)
    Path("agents_of_test.py").write_text(FILE + "\nX = 1\n")
    with pytest.raises(library.UsageError, match="agents_of_test was edited after this process"):
        library.run(agents=found, executor="inline", out="x", if_exists="resume", **RING)
    del sys.modules["agents_of_test"]


@pytest.mark.parametrize("name", ["My Agent", "", "a-b", "a/b"])
def test_class_of_no_name_is_refused(name: str) -> None:
    """It could not be told from others in results."""
    with pytest.raises(library.UsageError, match=f"a class is called '{name}'; expected letters"):
        library.agent(type(name, (Mine,), {}))


def test_class_that_cannot_be_sent(cell: Callable[..., dict[str, Any]]) -> None:
    """One sentence says what to do; in this process it runs."""
    text = FILE.replace("return self.config.action", "return int(LOCK.locked())")
    locked = cell(f"import threading\nLOCK = threading.Lock()\n{text}")["AlwaysSame"]
    with pytest.raises(library.UsageError, match="AlwaysSame is a class of this session") as said:
        library.run(agents=[locked, "plain"], out="x", **RING)

    assert "cannot pickle '_thread.lock' object" in str(said.value)
    assert "`executor='serial'`" in str(said.value)
    assert library.run(agents=locked, executor="serial", out="y", **RING).failures == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nowhere.py:Agent", "cannot read nowhere.py: No such file"),
        (
            "my_agent.py:Nobody",
            "my_agent.py defines no Nobody; it defines: AlwaysSame, Pixels",
        ),
        ("my_agent.py:NUMBER", "my_agent.py:NUMBER is 3; expected a class"),
        ("my_agent.py:Pixels", "agent pixels needs arrays, which environment ring does not"),
        ("./my_agent.py", "'./my_agent.py' is a file; say which class .*'./my_agent.py:CLASS'"),
        ("broken.py:Agent", "broken.py cannot be imported: ZeroDivisionError"),
    ],
)
def test_errors_say_what_is_wrong(file: Path, name: str, message: str) -> None:
    """Before anything is run."""
    Path("broken.py").write_text("1 / 0\n")
    with pytest.raises(library.UsageError, match=message):
        library.run(agents=name, executor="inline", **RING)
    assert file.exists()


def test_messages_name_the_hash_of_a_file_once(tmp_path: Path) -> None:
    """It is the version of such an agent, and part of what its file is called."""
    init = "    def __init__(self, problem, config, rng):\n        raise ValueError('no')\n\n"
    at = FILE.index("    def select_action")
    (tmp_path / "mine.py").write_text(FILE[:at] + init + FILE[at:])
    with pytest.warns(library.MfbpiWarning, match="2 of 2 runs"):
        results = library.run(
            agents=f"{tmp_path}/mine.py:AlwaysSame", **RING, out=tmp_path / "x", executor="inline"
        )

    digest = results.failures[0].task.agent.name.partition("#")[2].partition(":")[0]
    assert results.failures[0].cause.count(digest) == 1

"""What is dear is done once: plugins are looked for, and a task is written and read."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from typing import Any

import pytest

import mfbpi as library
from mfbpi.execute.found import Found
from mfbpi_core.contracts import parameters
from mfbpi_core.data import task as tasks
from mfbpi_core.plugins.registry import Registry

N_TASKS = 10


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of these is called from here on."""
    found: Counter[str] = Counter()

    def count(name: str, function: Any) -> Any:
        def counting(*arguments: Any, **named: Any) -> Any:
            found[name] += 1
            return function(*arguments, **named)

        return counting

    class Json:
        dumps = staticmethod(count("written", json.dumps))
        loads = staticmethod(count("read", json.loads))

    monkeypatch.setattr(Registry, "discover", count("discovered", Registry.discover))
    monkeypatch.setattr(tasks, "json", Json)
    monkeypatch.setattr(Registry, "get", count("looked up", Registry.get))
    monkeypatch.setattr(parameters, "from_dict", count("parsed", parameters.from_dict))
    return found


def test_work_grows_with_the_tasks_alone(counted: Counter[str]) -> None:
    """Whatever their number, plugins are looked for once in a process.

    A task is written once by the driver, once by the worker and once by whoever reads its result.
    In the worker each of its three plugins is looked up once, and its parameters read once.
    """
    run: dict[str, Any] = {"agents": "biased", "environments": "ring", "metrics": "rate"}
    counts = []
    for n_tasks in (1, N_TASKS):
        counted.clear()
        library.run(**run, seeds=range(n_tasks), executor="inline", out=f"{n_tasks}")
        counts.append(Counter(counted))
    more = counts[1] - counts[0]

    assert [count["discovered"] for count in counts] == [1, 1]
    assert counts[0]["written"] <= 4
    assert {name: number / (N_TASKS - 1) for name, number in more.items()} == {
        "written": 3,
        "read": 2,
        "looked up": 3,
        "parsed": 3,
    }


def test_other_process_looks_for_itself(counted: Counter[str]) -> None:
    """Once, when it is first asked: what was found here is not sent."""
    here = Found.already(Registry())
    there = pickle.loads(pickle.dumps(here))

    assert here() is here()
    assert counted["discovered"] == 0
    assert there() is there()
    assert counted["discovered"] == 1

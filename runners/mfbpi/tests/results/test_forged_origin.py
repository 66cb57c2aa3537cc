"""What the file of a result says that it was made with is anybody's word."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import mfbpi
from mfbpi.execute.saving import encoding
from mfbpi.notices import MfbpiNote, MfbpiWarning
from mfbpi.results.collecting.collect import collect
from mfbpi.results.storage import provenance, sources, table

P = [[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a run on the model in ``two.npz``, beside secrets and traps."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    np.savez("two.npz", P=P, R=[[0.0, 0.1], [0.0, 1.0]])
    Path("secret").write_text("secret")
    Path("evil_of_test.py").write_text("import pathlib; pathlib.Path('pwned').touch()")
    os.mkfifo("pipe")
    with Path("sparse").open("wb") as sparse:
        sparse.truncate(2 << 40)
    (made,) = run().files
    assert isinstance(made, Path)
    return made


def run(**settings: Any) -> mfbpi.Results:
    """The run."""
    where = {"seeds": [2], "steps": 200, "out": "DIR", "executor": "serial"}
    return mfbpi.run("q_learning", "mdp_file:two.npz", **{**where, **settings})


def forge(file: Path, changes: Mapping[str, Any]) -> None:
    """Let a file say something else of how it was made."""
    content = pq.read_table(file)
    metadata = dict(content.schema.metadata)
    origin = {**json.loads(metadata[table.METADATA_KEY]), **changes}
    metadata[table.METADATA_KEY] = json.dumps(origin).encode()
    pq.write_table(content.replace_schema_metadata(metadata), file)


@pytest.mark.parametrize(
    "name",
    ["secret", "pipe", "sparse", "/proc/kmsg", "module evil_of_test.sub", "module evil_of_test"],
)
def test_no_file_is_read_because_a_result_names_it(
    file: Path, name: str, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """Nor a module imported, by whatever compares a result with what is here."""
    forge(file, {"made_of": {name: "x"}})
    read: list[str] = []
    real = sources.content
    monkeypatch.setattr(sources, "content", lambda name: read.append(name) or real(name))
    run(if_exists="resume")
    again = mfbpi.reproduce(file)

    assert again.is_same
    assert f"{name} x then and not used now" in again.programs
    assert read == ["two.npz"]  # the second run's own
    assert not Path("pwned").exists()
    assert not [each for each in recwarn if name in str(each.message)]


def test_a_run_that_fails_again_reads_nothing(file: Path) -> None:
    """There is nothing to compare with."""
    forge(file, {"made_of": {"secret": "x"}})
    Path("two.npz").unlink()
    again = mfbpi.reproduce(file)

    assert again.failure
    assert not [each for each in again.programs if "secret" in each]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        *(({group: [["numpy", "1"]]}, f"its {group} are [[") for group in provenance.GROUPS),
        ({"plugins": None}, "its plugins are None; expected an object"),
        ({"libraries": {"a": 1}}, "its libraries give 'a' as 1; expected a text"),
        ({"made_of": {"two.npz": None}}, "made_of give 'two.npz' as None"),
        ({"plugins": {"x": ["y" * 1000]}}, "plugins give 'x' as ['yyy"),
        ({"libraries": "numpy"}, "its libraries are 'numpy'"),
        ({"git": [1]}, "its git are [1]"),
        ({"skipped_metrics": 3}, "its skipped_metrics are 3"),
    ],
)
def test_groups_of_another_shape_are_damage(file: Path, changes: Any, said: str) -> None:
    """Of one file, which is left out or run again; the others of a directory are read."""
    run(seeds=[2, 3], if_exists="resume")
    forge(file, changes)
    for look in (mfbpi.load, collect):
        with pytest.warns(MfbpiWarning) as told:
            look("DIR")
        assert any(f"{file} is not a result of mfbpi: " in str(each.message) for each in told)
        assert any(said in str(each.message) for each in told)
    with pytest.raises(mfbpi.UsageError, match=re.escape(said)):
        mfbpi.reproduce(file)
    with pytest.warns(MfbpiWarning, match=f"{re.escape(said)}.*the task is run again"):
        again = run(seeds=[2, 3], if_exists="resume")
    assert len(again.files) == 2
    assert mfbpi.reproduce(file).is_same


@pytest.mark.parametrize("replicas", [None, [2], "x", 1e400])
def test_replicas_of_another_kind_are_no_matter(file: Path, replicas: Any) -> None:
    """They are only shown."""
    forge(file, {"replicas": replicas})

    assert mfbpi.reproduce(file).replicas == 1


def test_files_that_the_task_names_are_compared(file: Path) -> None:
    """By resume, and by reproduce with what its own run has read."""
    np.savez("two.npz", P=P, R=[[0.0, 0.2], [0.0, 1.0]])
    with pytest.warns(MfbpiNote, match=r"other versions: two\.npz \w+ then and \w+ now"):
        run(if_exists="resume")

    assert any(each.startswith("two.npz ") for each in mfbpi.reproduce(file).programs)


@pytest.mark.parametrize("versions", [{"made_of": {"pipe": "x"}}, {"plugins": [1]}, {}, None])
def test_a_saved_agent_has_nothing_read_for_it(
    file: Path, versions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It acts without the environment; what it says of that is not looked at."""
    results = run(out="agents", save_agent=True)
    (saved,) = Path("agents/_agents").iterdir()
    tree = encoding.from_bytes(saved.read_bytes())
    told = versions and {**tree["versions"], **versions}
    saved.write_bytes(encoding.to_bytes({**tree, "versions": told}))
    monkeypatch.setattr(sources, "content", None)

    assert results.agent("q_learning", seed=2).recommend(0) in (0, 1)


GYM = """
import gymnasium
import own_pay_of_test
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

class Lake(FrozenLakeEnv):
    def step(self, action):
        state, _, *ended = super().step(action)
        return state, own_pay_of_test.PAY, *ended

gymnasium.register(id="OwnPay-v0", entry_point="own_gym_of_test:Lake")
"""


def test_modules_that_an_own_environment_imports_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module of the id is asked for by the task, and what it imports belongs to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("own_gym_of_test.py").write_text(GYM)
    Path("own_pay_of_test.py").write_text("PAY = 0.5")
    where = mfbpi.environment("gymnasium:own_gym_of_test:OwnPay-v0", reward_range=[0, 1])
    settings: dict[str, Any] = {"steps": 200, "seeds": [1], "out": "DIR", "executor": "serial"}
    mfbpi.run("q_learning", where, **settings)
    Path("own_pay_of_test.py").write_text("PAY = 1.0")

    changed = r"module own_gym_of_test src\.\w+ then and src\.\w+ now"
    with pytest.warns(MfbpiNote, match=f"other versions: {changed}"):
        mfbpi.run("q_learning", where, if_exists="resume", **settings)

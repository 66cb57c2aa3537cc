"""Seeds of a deep agent that run together give the rows that they give on their own."""

import pytest

from mfbpi.execute import batches
from mfbpi.execute.working.worker import run_task
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store
from mfbpi_core import Registry
from mfbpi_run.cli import main

AGENTS = ("dbmf_bpi", "bsp", "bsp2", "ids", "ensemble_ucb")

#: With their settings: the smallest DeepSea that still slips, and short stretches of cartpole.
ENVIRONMENTS = {"slipping_deep_sea": ("size=4",), "cartpole_swingup": ()}


@pytest.fixture
def make_work(make_tasks):
    """Three seeds of a small agent, batches."""

    def make(agent, environment):
        tasks = make_tasks(
            agent,
            environment,
            ("hidden=16", "ensemble_size=5"),
            ENVIRONMENTS[environment],
            steps=280,
            eval_every=70,
            seeds="3:6",
            metrics=("visit_entropy",),
        )
        (work,) = batches.grouped(Registry.discover(), tasks, replicas=3)
        return work

    return make


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("agent", AGENTS)
def test_rows_are_those_of_seeds_on_their_own(agent, environment, make_work, rows):
    """The same rows of all three, up to rounding."""
    work = make_work(agent, environment)
    for task, outcome in work.separated(run_task(work.to_json())):
        found, alone = rows(outcome), rows(run_task(task.to_json()))
        assert len(found) == 4
        for row, expected in zip(found, alone, strict=True):
            assert row == {**expected, "value": pytest.approx(expected["value"], rel=1e-9)}


def test_killed_together_goes_on_bit_for_bit(make_work, rows, killed, resumed, tmp_path):
    """One checkpoint holds all replicas; each task has failed."""
    work = make_work("dbmf_bpi", "slipping_deep_sea")
    text = work.to_json()
    whole = [rows(outcome) for _, outcome in work.separated(run_task(text))]
    cut = work.separated(killed(text, tmp_path, 3))
    assert [outcome.status for _, outcome in cut] == ["failed"] * 3
    assert Store(tmp_path).checkpoint(work.task_id).exists()

    again = work.separated(resumed(text, tmp_path))

    assert [rows(outcome) for _, outcome in again] == whole


def test_from_the_command_line(tmp_path):
    """`--replicas` divides the seeds; the files are those of single runs and name their number."""
    command = ["run", "--agent", "bsp", "--env", "slipping_deep_sea", "-E", "size=3"]
    command += ["--steps", "150", "--metric", "deep_sea", "--seeds", "0:3", "--quiet"]
    command += ["--executor", "serial", "--checkpoint-every", "0.001"]
    for out, replicas in (("alone", "1"), ("together", "2")):
        where = ["--out", str(tmp_path / out), "--replicas", replicas]
        assert main([*command, *where]) == 0

    names = sorted(path.name for path in (tmp_path / "alone").iterdir())
    assert sorted(path.name for path in (tmp_path / "together").iterdir()) == names
    found = {}
    for path in (tmp_path / "together").glob("*.parquet"):
        content = table.read(path)
        found[content["seed"][0].as_py()] = table.provenance(content)["replicas"]
        alone = table.read(tmp_path / "alone" / path.name).drop_columns(["elapsed_s"])
        assert content.drop_columns(["elapsed_s"]).equals(alone)
    assert found == {0: 2, 1: 2, 2: 1}

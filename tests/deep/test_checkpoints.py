"""Deep agents saved in the middle of a run go on bit for bit, through a file."""

import pytest

from mfbpi.execute.working.worker import run_task
from mfbpi.results.storage.directory import Store


@pytest.mark.parametrize("agent", ["dbmf_bpi", "bsp", "bsp2", "ids", "ensemble_ucb"])
def test_killed_run_goes_on_bit_for_bit(agent, make_tasks, rows, killed, resumed, tmp_path):
    """Networks, moments of Adam, replay buffer, generators, environment and metrics."""
    (task,) = make_tasks(
        agent,
        "slipping_deep_sea",
        environment_settings=("size=4",),
        steps=360,
        eval_every=60,
        seeds="3",
        metrics=("deep_sea", "t_visit"),
    )
    text = task.to_json()
    whole = rows(run_task(text))
    killed(text, tmp_path, 4)
    assert Store(tmp_path).checkpoint(task.task_id).exists()

    assert rows(resumed(text, tmp_path)) == whole

"""Tasks as data: canonical text, identity, and the way back."""

import attrs
import pytest

from mfbpi_core import PluginRef, Task

TASK = Task(
    agent=PluginRef(name="mf_bpi", config={"k": 1, "rate": 0.7, "widths": [3, 4]}),
    environment=PluginRef(name="riverswim", config={"n_states": 5}),
    metrics=(PluginRef(name="t_visit"), PluginRef(name="dist:value_error")),
    seed=0,
    horizon=1_000,
    eval_every=200,
    discount=0.99,
)


def test_json_round_trip():
    """A task is rebuilt from its text, equal and with the same text."""
    again = Task.from_json(TASK.to_json())

    assert again == TASK
    assert again.to_json() == TASK.to_json()
    assert again.task_id == TASK.task_id


def test_order_of_parameters_does_not_matter():
    """The text is canonical."""
    config = dict(reversed(TASK.agent.config.items()))
    other = attrs.evolve(TASK, agent=attrs.evolve(TASK.agent, config=config))

    assert other.to_json() == TASK.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"horizon": 1_001},
        {"episodes": 3},
        {"eval_every": 100},
        {"discount": 0.95},
        {"metrics": TASK.metrics[:1]},
        {"agent": PluginRef(name="mf_bpi", config={**TASK.agent.config, "rate": 0.8})},
        {"environment": PluginRef(name="riverswim", config={"n_states": 6})},
    ],
)
def test_any_change_is_another_task(change):
    """The identity covers everything that determines the result."""
    assert attrs.evolve(TASK, **change).task_id != TASK.task_id


def test_identity_is_sixteen_hexadecimal_digits():
    """Fit for a file name."""
    assert len(TASK.task_id) == 16
    assert set(TASK.task_id) <= set("0123456789abcdef")

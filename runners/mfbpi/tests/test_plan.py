"""From the options of the command line to tasks."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from mfbpi.plan.grid import TaskPlan
from mfbpi_core.data.task import Task
from mfbpi_core.errors import (
    ConfigError,
    ConflictError,
    NotFoundError,
    PluginError,
    RequirementError,
    UsageError,
)
from mfbpi_core.plugins.registry import Registry

PlanOf = Callable[..., TaskPlan]


@pytest.fixture
def first(plan_of: PlanOf) -> Callable[..., Task]:
    """The first task of such a plan."""
    return lambda **changes: plan_of(**changes).tasks[0]


def test_defaults_are_the_environment_s_protocol(plan_of: PlanOf) -> None:
    """Seeds, steps, evaluation interval and discount come from the environment."""
    tasks = plan_of().tasks

    assert [task.seed for task in tasks] == [0, 1]
    assert {(t.horizon, t.episodes, t.eval_every, t.discount) for t in tasks} == {
        (60, None, 20, 0.9)
    }


def test_protocol_in_episodes_gives_the_longest_horizon(first: Callable[..., Task]) -> None:
    """4 episodes of at most 5 steps."""
    task = first(environments=("lap",))

    assert (task.horizon, task.episodes) == (20, 4)


def test_options_go_before_the_protocol(first: Callable[..., Task]) -> None:
    """What the user gives is used as given."""
    task = first(steps=7, eval_every=3, discount=0.5, seeds="4", environments=("lap",))

    assert (task.horizon, task.episodes) == (7, None)
    assert (task.eval_every, task.discount, task.seed) == (3, 0.5, 4)


def test_episodes_and_steps_together(first: Callable[..., Task]) -> None:
    """Whichever comes first ends the run."""
    task = first(steps=12, episodes=2)

    assert (task.horizon, task.episodes) == (12, 2)


def test_episodes_need_an_environment_that_has_them(plan_of: PlanOf) -> None:
    """The message says what to do instead."""
    with pytest.raises(UsageError, match=r"environment ring has no longest episode.*`steps`"):
        plan_of(episodes=3)


def test_grid_is_agents_by_environments_by_seeds(plan_of: PlanOf) -> None:
    """Every combination once, each with an identifier of its own."""
    plan = plan_of(agents=("biased", "plain"), environments=("ring", "lap"), seeds="0:3")

    assert len(plan.tasks) == 12
    assert len({task.task_id for task in plan.tasks}) == 12


def test_order_of_agents_does_not_change_their_tasks(plan_of: PlanOf) -> None:
    """Task identifiers depend on the task alone."""
    one = plan_of(agents=("biased", "plain")).tasks
    other = plan_of(agents=("plain", "biased")).tasks

    assert {task.task_id for task in one} == {task.task_id for task in other}


def test_setting_applies_to_every_agent_that_has_the_key(plan_of: PlanOf) -> None:
    """Both have ``bias``; only one has ``weight``."""
    plan = plan_of(agents=("biased", "plain"), agent_settings=("bias=0.25", "weight=3"))
    biased, plain = plan.sites[0].agents

    assert (biased.config["bias"], plain.config["bias"]) == (0.25, 0.25)
    assert plain.config["weight"] == 3


def test_setting_for_one_agent_goes_first(plan_of: PlanOf) -> None:
    """In whatever order they are given."""
    plan = plan_of(agents=("biased", "plain"), agent_settings=("plain.bias=0.75", "bias=0.25"))

    assert [agent.config["bias"] for agent in plan.sites[0].agents] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("bais=1", r"none of biased has a parameter 'bais'; did you mean bias\? parameters are"),
        ("biased.bais=1", r"agent biased: unknown parameter 'bais'; did you mean bias\?"),
        ("bias=2", r"agent biased: parameter bias is 2.0; expected float >= 0, <= 1"),
        ("bias=x", r"agent biased: parameter bias is 'x'; expected float"),
        ("plain.bias=0", r"'plain' is not in this run; it has: biased"),
        ("biasd.bias=0", r"'biasd' is not in this run; did you mean biased\?"),
    ],
)
def test_bad_settings_are_explained(plan_of: PlanOf, setting: str, message: str) -> None:
    """Unknown keys, wrong values and absent agents are named."""
    with pytest.raises(UsageError, match=message):
        plan_of(agent_settings=(setting,))


def test_text_after_a_colon_sets_the_argument(plan_of: PlanOf) -> None:
    """``ring:5`` is a label of its own, so that one grid can hold several sizes."""
    plan = plan_of(environments=("ring:5", "ring"))

    assert [site.environment.name for site in plan.sites] == ["ring:5", "ring"]
    assert [site.environment.config["n_states"] for site in plan.sites] == [5, 3]


@pytest.mark.parametrize(
    ("environment", "error", "message"),
    [
        ("lap:5", NotFoundError, "environment lap takes nothing after a colon"),
        ("ring:1", ConfigError, "environment ring:1: parameter n_states is 1; expected int >= 2"),
        ("rong:5", NotFoundError, "no environment is called 'rong:5'"),
        ("broken", PluginError, "environment broken of mfbpi-toy 1.0: ValueError"),
    ],
)
def test_bad_environments_are_explained(
    plan_of: PlanOf, registry: Registry, environment: str, error: type[Exception], message: str
) -> None:
    """The argument is checked like any parameter, and a factory that raises is named."""
    with pytest.raises(error, match=message):
        plan_of(environments=(environment,))


def test_argument_given_twice_is_refused(plan_of: PlanOf) -> None:
    """A colon and -E cannot both set it."""
    with pytest.raises(ConfigError, match="ring:5 already sets n_states"):
        plan_of(environments=("ring:5",), environment_settings=("n_states=7",))


def test_qualified_name_is_the_same_task(first: Callable[..., Task]) -> None:
    """``distribution:name`` of an unambiguous name changes no identifier."""
    assert first(agents=("mfbpi-toy:biased",)) == first()


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("agents", ("biased", "biased")),
        ("agents", ("biased", "mfbpi-toy:biased")),
        ("environments", ("ring", "ring")),
        ("metrics", ("rate", "rate")),
    ],
)
def test_duplicates_are_refused(plan_of: PlanOf, field: str, names: tuple[str, ...]) -> None:
    """A name given twice is a mistake, whichever way it is written."""
    with pytest.raises(UsageError, match="given twice"):
        plan_of(**{field: names})


@pytest.mark.parametrize("discount", [0.0, 1.0, -0.5, 2.0, float("nan")])
def test_discount_outside_its_range_is_refused(plan_of: PlanOf, discount: float) -> None:
    """0 and 1 are excluded, and so is NaN."""
    with pytest.raises(UsageError, match="between 0 and 1"):
        plan_of(discount=discount)


def test_default_metrics_are_those_that_may_apply(first: Callable[..., Task]) -> None:
    """Not those that are off by default, nor those whose environment lacks what they need."""
    names = {metric.name for metric in first(metrics=()).metrics}

    assert {"rate", "aim"} <= names
    assert not {"deep", "noise", "double"} & names


def test_metric_asked_for_must_apply(plan_of: PlanOf) -> None:
    """The message names what is missing, and where."""
    with pytest.raises(RequirementError, match=r"metric deep needs pixels.*environment ring"):
        plan_of(metrics=("deep",))


def test_agent_s_needs_are_checked(plan_of: PlanOf) -> None:
    """An agent that needs a model does not run where there is none."""
    with pytest.raises(RequirementError, match=r"agent needy needs model.*it provides: states"):
        plan_of(agents=("needy",))


def test_two_metrics_with_one_column_are_refused(plan_of: PlanOf) -> None:
    """Their rows could not be told apart."""
    with pytest.raises(ConflictError, match="both measure 'rate'"):
        plan_of(metrics=("rate", "double"))


def test_manifest_holds_what_tasks_have_in_common(plan_of: PlanOf) -> None:
    """Resolved parameters by label, and how each environment is run."""
    manifest = plan_of(agent_settings=("bias=0.25",)).manifest()

    assert manifest["agents"]["biased(bias=0.25) on ring"]["plugin"] == "biased"
    assert manifest["agents"]["biased(bias=0.25) on ring"]["config"]["bias"] == 0.25
    assert manifest["environments"]["ring"] == {
        "plugin": "ring",
        "config": {"n_states": 3, "slip": 0.1},
        "metrics": {"rate": {}},
        "horizon": 60,
        "episodes": None,
        "eval_every": 20,
        "discount": 0.9,
    }


def test_settings_are_in_the_labels(plan_of: PlanOf) -> None:
    """What differs is called differently, for agents and environments; plain names are defaults."""
    plain = plan_of().tasks[0]
    other = plan_of(
        agent_settings=("biased.bias=0.25",), environment_settings=("n_states=4", "slip=0.0")
    ).tasks[0]

    assert (plain.agent.shown, plain.environment.shown) == ("biased", "ring")
    assert other.agent.shown == "biased(bias=0.25)"
    assert other.environment.shown == "ring(n_states=4,slip=0.0)"
    assert (other.agent.name, other.environment.name) == ("biased", "ring")


def test_labels_name_results_and_manifest(plan_of: PlanOf) -> None:
    """A label stands for one configuration of a plugin, so that a grid can hold several."""
    plan = plan_of()
    site = attrs.evolve(
        plan.sites[0], environment=attrs.evolve(plan.sites[0].environment, label="small ring")
    )
    labelled = attrs.evolve(plan, sites=(site,))

    assert set(labelled.manifest()["environments"]) == {"small ring"}
    assert labelled.manifest()["environments"]["small ring"]["plugin"] == "ring"
    assert labelled.tasks[0].environment.shown == "small ring"


def test_run_that_measures_nothing_says_so(
    plan_of: PlanOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it starts, not by an empty table at its end."""
    assert plan_of(metrics=()).warnings == ()
    real = Registry.of_kind
    monkeypatch.setattr(
        Registry, "of_kind", lambda self, kind: [] if kind == "metric" else real(self, kind)
    )

    (message,) = plan_of(metrics=()).warnings
    assert message.startswith("nothing will be measured of agent biased on ring: no metric")

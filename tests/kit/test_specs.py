"""Faults of specs, factories, configurations and metadata."""

import re

import pytest

from mfbpi_core.errors import NotFoundError
from mfbpi_core.testing import checks_for, run_checks
from mfbpi_core.testing.outcomes import Check

SPECS = {
    "nocolumns": ("spec_is_valid", "declares no columns"),
    "twins": ("spec_is_valid", "are not distinct"),
    "reversed": ("spec_is_valid", r"range \[1.0, 0.0\]"),
    "argument": ("spec_is_valid", "argument is 'size'; parameters are"),
    "twolines": ("spec_is_valid", "several lines"),
    "local": ("spec_pickles", "raised AttributeError|raised PicklingError"),
    "missing": ("imports_name_their_objects", "cannot import 'kit_specs:Missing'"),
    "notanagent": ("imports_name_their_objects", "not a subclass of mfbpi_core.Agent"),
    "unfinished": ("imports_name_their_objects", "does not define recommend, update"),
    "occupation": ("imports_name_their_objects", "expected a class or function"),
    "noconfig": ("imports_name_their_objects", "expected an attrs class"),
    "empty": ("returns_an_experiment", "neither runs nor studies"),
    "dictionary": ("returns_an_experiment", "the factory returned dict"),
    "no_figure": ("returns_an_experiment", "kit_good:OCCUPATION is not a function"),
    "both": ("returns_an_experiment", "both runs and studies; expected one of them"),
    "no_finding": ("returns_an_experiment", "cannot import 'kit_good:nothing'"),
    "out_of_range": ("choices_fit_their_plugins", "rate is 1.5; expected float > 0, <= 1"),
    "preset": ("preset_fits_config", r"unknown parameter 'rat'; did you mean rate\?"),
    "onestream": ("replicas_act_as_agents", "replica 0 is not the agent on its own"),
    "oneagent": ("replicas_act_as_agents", "2 generators: 1 agents"),
    "sates": ("needs_are_known", r"needs sates, which nothing provides; did you mean states\?"),
    "nowhere": ("agent_can_be_tried", "found no environment for agent nowhere, which needs arr"),
    "cels": ("needs_are_known", r"needs cels, which nothing provides; did you mean cells\?"),
    "undefined": ("config_round_trips", "missing 1 required keyword-only argument: 'rate'"),
    "unwritable": ("config_round_trips", "cannot be written as JSON"),
    "rounded": ("config_round_trips", "has init=False, so that no worker could build it again"),
}


@pytest.mark.parametrize(("plugin", "check", "says"), [(k, *v) for k, v in SPECS.items()])
def test_fault_of_a_spec_is_found(install, plugin, check, says):
    """The check of the rule fails, says why, and names plugin and distribution."""
    registry = install("kit-specs", "kit_specs")
    assert registry.problems == []
    (found,) = [
        c for c in checks_for("kit-specs", registry) if (c.plugin, c.name) == (plugin, check)
    ]

    result = found.result()

    assert result.status == "failed"
    assert f"{plugin} of kit-specs 1.0 breaks {check}: " in result.message
    assert re.search(says, result.message)


REQUIREMENTS = {
    "no upper": (("mfbpi-core>=0.1",), "has no upper bound"),
    "no lower": (("mfbpi_core<1",), "has no lower bound"),
    "neither": (("numpy>=1.26", "mfbpi-core"), "has no lower bound"),
    "not required": (
        ("numpy>=1.26", "mfbpi-core-extras>=1,<2"),
        "requires numpy>=1.26, mfbpi-core-e",
    ),
    "nothing": ((), "requires nothing"),
}


@pytest.mark.parametrize(("requires", "says"), REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_core_must_be_bounded_on_both_sides(install, requires, says):
    """A plugin must require the core from a version on and below another."""
    registry = install("kit-loose", "kit_good", requires=requires)

    failed = distribution_failures("kit-loose", registry)

    assert failed.keys() == {"requires_core_with_bounds"}
    assert says in failed["requires_core_with_bounds"]


@pytest.mark.parametrize(
    "requirement",
    ["mfbpi-core>=0.1,<1", "mfbpi-core~=0.1", "mfbpi-core==0.1.0", "mfbpi_core[testing] (>0,<=2)"],
)
def test_bounded_requirements_pass(install, requirement):
    """Every way of giving both bounds is accepted."""
    registry = install("kit-bounded", "kit_good", requires=(requirement,))

    assert distribution_failures("kit-bounded", registry) == {}


def test_heavy_import_is_found(install):
    """An entry point whose module imports scipy is found out, with advice."""
    source = "import scipy\nfrom kit_good import mfbpi_agents\n"
    registry = install("kit-heavy", "kit_heavy", source)

    failed = distribution_failures("kit-heavy", registry)

    assert failed.keys() == {"imports_light"}
    message = failed["imports_light"]
    assert message.startswith("distribution kit-heavy breaks imports_light: importing kit_heavy")
    assert "imports scipy; import it in the module that the spec's factory names" in message


def test_failure_to_load_is_found(install):
    """A module that raises on import is a failed check, with the cause, not an exception."""
    registry = install("kit-raises", "kit_raises", "raise ValueError('no licence')\n")

    failed = distribution_failures("kit-raises", registry)

    assert failed.keys() == {"loads", "imports_light"}
    assert "kit-raises 1.0 failed at import: ValueError: no licence" in failed["loads"]


def test_run_checks_without_pytest(install):
    """The same checks as results, for everything installed."""
    install("kit-heavy", "kit_heavy", "import scipy\n")

    results = run_checks("kit-heavy")

    statuses = {r.check: r.status for r in results}
    assert statuses == {
        "loads": "failed",
        "imports_light": "failed",
        "requires_core_with_bounds": "passed",
    }
    assert {r.plugin for r in results} == {"distribution kit-heavy"}


def test_unknown_distribution(install):
    """A distribution that is not installed is an error that lists those that have plugins."""
    registry = install("kit-good", "kit_good")

    with pytest.raises(NotFoundError, match=r"'kit-god' is installed; .*: kit-good"):
        checks_for("kit-god", registry)


def test_distribution_without_plugins(install):
    """A distribution without entry points of ours cannot be checked."""
    registry = install("kit-good", "kit_good")

    with pytest.raises(NotFoundError, match="numpy has no entry point in group mfbpi"):
        checks_for("numpy", registry)


def distribution_failures(name, registry):
    """Messages of the failed checks of the distribution as a whole."""
    checks = [c for c in checks_for(name, registry) if c.kind == "distribution"]
    return {r.check: r.message for r in (c.result() for c in checks) if r.status == "failed"}


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), StopIteration()])
def test_plugin_cannot_end_its_checks(error: BaseException) -> None:
    """Whatever it raises is a failure, with its type; exit code 0 would look like success."""

    def run() -> None:
        raise error

    check = Check(kind="agent", plugin="x", name="acts", rule="acts", origin="y 1", run=run)
    found = check.result()

    assert found.status == "failed"
    assert type(error).__name__ in found.message

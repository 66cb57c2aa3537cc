"""The kit finds nothing wrong with plugins that keep every rule."""

import pytest

from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.testing import checks_for

#: Checks that do not apply to the toys, which are skipped with a reason.
NOT_APPLICABLE = {
    ("environment arrays", "initial_states_follow_model"),
    ("environment arrays", "rewards_follow_model"),
    ("environment arrays", "simulator_follows_model"),
    ("environment arrays", "simulator_follows_step"),
    ("environment arrays", "termination_follows_model"),
    ("environment arrays", "transitions_follow_model"),
    ("agent linear", "allocation_is_a_distribution"),
    ("agent linear", "drivers_agree"),
    ("agent linear", "preset_fits_config"),
    ("agent linear", "replicas_act_as_agents"),
    ("experiment kit/small", "choices_fit_their_plugins"),
    ("executor in_turn", "killed_worker_is_reported"),
    ("executor in_turn", "time_limit_is_kept"),
}


def test_good_plugins_pass(install):
    """Every check passes, except those that do not apply."""
    checks = checks_for("kit-good", install("kit-good", "kit_good"))

    results = [check.result() for check in checks]

    assert [r.message for r in results if r.status == "failed"] == []
    skipped = {(r.plugin, r.check) for r in results if r.status == "skipped"}
    assert skipped == NOT_APPLICABLE
    assert all(r.message for r in results if r.status == "skipped")


def test_every_kind_is_covered(install):
    """The good plugins exercise every check there is."""
    checks = checks_for("kit-good", install("kit-good", "kit_good"))

    names = {(check.kind, check.name) for check in checks}
    expected = {(kind.name, f.__name__) for kind in KINDS.values() for f in kind.load_checks()}
    assert expected <= names


@pytest.mark.parametrize("spelling", ["kit-good", "Kit_Good", "kit.good"])
def test_distribution_names_are_normalised(install, spelling):
    """Case, dashes, dots and underscores do not matter, as for pip."""
    registry = install("kit-good", "kit_good")

    checks = checks_for(spelling, registry)

    assert {check.kind for check in checks} > {"agent", "environment"}

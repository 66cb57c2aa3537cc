"""Each plugin that breaks a rule is found out by the check of that rule, and by no other."""

import re

import pytest

from mfbpi_core.testing import checks_for
from mfbpi_core.testing.checks import model_checks

#: By kind and plugin: the checks that must fail, and what the message of the first must say.
ENVIRONMENTS = {
    "losesitsfile": ("parts_are_there", "made_of names 'gone.csv', which is not there"),
    "misnamesitsmodule": ("parts_are_there", "made_of names 'no_such_module.envs'"),
    "fourvalues": ("signatures", "step returned"),
    "rewardoutsiderange": ("signatures", "reward 1.0; expected 0.0 to 0.5"),
    "observationoutsiderange": ("signatures", "expected an integer from 0 to 1"),
    "anyaction": ("bad_actions_refused", r"step\(-1\) was accepted"),
    "booleanaction": ("bad_actions_refused", r"step\(True\) was accepted"),
    "silentrefusal": ("bad_actions_refused", "does not name 0 to 1"),
    "overwrittenarray": ("observations_are_not_reused", "overwrote an observation"),
    "lateend": ("episodes_end_in_time", "max_episode_steps = 10"),
    "onecell": ("cells_cover_observations", "there are 1"),
    "hiddencell": ("cells_cover_observations", r"\[1\] are declared unreachable"),
    "ignoredseed": ("same_seed_same_trajectory", "two instances with one seed"),
    "sharedgenerator": ("same_seed_same_trajectory", "two instances"),
    "seededonce": ("same_seed_same_trajectory", "used instance"),
    "repeatedstream": ("reset_continues_stream", "same random stream again"),
    "freshstream": ("reset_continues_stream", "not determined by the seed"),
    "constantseed": ("seed_has_effect", "one trajectory"),
    "forgetsclock": ("saved_environment_resumes", "100 steps after loading differ"),
    "savesreference": ("saved_environment_resumes", "changed a state that was saved"),
    "cannotbepickled": ("saved_environment_resumes", "raised (AttributeError|PicklingError)"),
    "globalnumpy": ("global_generators_untouched", "`numpy.random` was drawn from or seeded"),
    "unknownfeature": ("features_are_known", r"features episode, .*; did you mean episodes\?"),
    "emptypromise": ("features_keep_their_promise", "deep_sea promises optimal_return, right, si"),
    "globalrandom": ("global_generators_untouched", "`random` was drawn from"),
}

MODELS = {
    "othersizes": ("model_is_valid", r"\(S, A\) = \(3, 2\)"),
    "openrows": ("model_is_valid", r"\(s=1, a=0\) sum to 0.99"),
    "othertransitions": ("transitions_follow_model", r"P\(0 \| s=0, a=0\) is 0.72"),
    "impossible": ("transitions_follow_model", r"P\(0 \| s=1, a=0\) is 1"),
    "otherrewards": ("rewards_follow_model", r"P\(reward 0 \| s=0, a=1\) is 0.63"),
    "otherlaw": ("rewards_follow_model", "the model says 0.\\d, deterministic"),
    "limitterminates": ("termination_follows_model", "a time limit is a truncation"),
    "goeson": ("termination_follows_model", "expected the end of the episode"),
    "leansalittle": ("transitions_follow_model", "all frequencies together do not fit"),
    "drawszeros": ("transitions_follow_model", r"P\(\d \| s=\d, a=\d+\) is 0, but it happened"),
    "payswhenover": ("model_is_valid", "raised ModelWarning: .*state 1"),
    "rewardfirst": ("simulator_follows_step", r"has \d in the simulator and \d by"),
    "simulatordrawszeros": ("simulator_follows_model", "is 0, but it happened"),
    "otherstart": ("initial_states_follow_model", r"P\(first state is 0\) is 0.5"),
}

AGENTS = {
    "floataction": ("actions_are_valid", "select_action returned"),
    "otherpolicy": ("actions_are_valid", "in state 0 the policy is"),
    "wholeallocation": ("allocation_is_a_distribution", "sum 2; expected 0, 1"),
    "freshentropy": ("same_seed_same_actions", "two runs with one seed differ"),
    "drawspercall": ("steps_add_up", r"3 \+ 7 steps are not 10"),
    "recommenddraws": ("recommend_has_no_side_effect", "changed the state"),
    "recommendhides": ("recommend_has_no_side_effect", "acts differently"),
    "otherdriver": ("drivers_agree", "differs from select_action and update"),
    "forgetsgenerator": ("saving_resumes", "100 steps after loading differ"),
    "savesreference": ("saving_resumes", "changed a state that was saved"),
    "loadsreference": ("saving_resumes", "changed the state it was given"),
    "unsaveable": ("checkpoint_resumes", "the state holds a Transition at .latest; expected plain"),
    "remembers": ("checkpoint_resumes", "100 steps after a checkpoint differ"),
    "truncationends": ("truncation_bootstraps", "action 0 truncates the episode"),
    "truncationendsarrays": ("truncation_bootstraps", "after 600 steps"),
    "neverends": ("termination_does_not_bootstrap", "action 0 terminates the episode"),
    "globalexploration": ("global_generators_untouched", "`numpy.random`"),
    "globalseed": ("global_generators_untouched", "`numpy.random` was drawn from or seeded"),
}

BOUNDS = {
    "notnormalised": ("allocation_on_simplex", "sum 3; expected 0, 1"),
    "ignoresflow": ("navigation_is_feasible", "out of balance by"),
    "othervalue": ("value_is_attained", "solve gives"),
    "notoptimal": ("no_allocation_is_better", "is beaten by"),
    "countsstates": ("labels_do_not_matter", "when relabelled"),
    "clipsties": ("ties_are_infinite", "expected inf"),
    "noreason": ("ties_are_infinite", "infinite without a reason"),
}

METRICS = {
    "outofrange": (
        "values_are_finite_and_in_range",
        r"at step 100: .*=100.0; .* 0 to 1",
    ),
    "notanumber": (
        "values_are_finite_and_in_range",
        r"at step 0: .* mean_reward=nan",
    ),
    "undeclared": (
        "values_are_finite_and_in_range",
        "returned 'extra', which its spec",
    ),
    "notascalar": ("values_are_finite_and_in_range", r"at step 0: .* returned mean_reward=None"),
    "nodictionary": ("values_are_finite_and_in_range", "expected a dictionary of numbers by col"),
    "nothing": ("values_are_finite_and_in_range", "measured nothing"),
    "trains": ("run_is_not_changed", "measuring changes the transitions"),
    "overwrites": ("run_is_not_changed", "measuring changes the transitions"),
    "perchunk": ("chunks_do_not_matter", "the values differ"),
    "drawsinorder": ("chunks_do_not_matter", "the values differ"),
    "forgetssteps": ("saving_resumes", "measures something else"),
    "addsup": ("saving_resumes", "a loaded metric measures something else"),
    "forgetsarrays": ("saving_resumes", "a loaded metric has other arrays"),
    "globalsample": ("global_generators_untouched", "`numpy.random` was drawn"),
}

EXECUTORS = {
    "loseslast": ("outcomes_equal_serial_ones", "5 tasks have 4 outcomes"),
    "runstwice": ("outcomes_equal_serial_ones", "5 tasks have 6 outcomes"),
    "mixesup": ("outcomes_equal_serial_ones", "with 2 jobs the outcomes differ"),
    "stopsatfailure": ("failing_task_is_reported", "raised RuntimeError"),
    "hidescause": ("failing_task_is_reported", "hides the cause"),
    "breakspool": ("killed_worker_is_reported", "expected done"),
    "letsprint": ("standard_output_is_left_alone", "expected it on standard error"),
    "forgetslimit": ("time_limit_is_kept", "task 1 of 5 is done .* expected failed"),
}

STOPPING_RULES = {
    "seeschunks": ("says_the_same_for_any_division", "it says something else"),
    "looksattheagent": ("judges_the_counts_alone", "agent and environment have changed"),
    "hasty": ("never_stops_with_an_unvisited_pair", r"stops although \(1, 0\) was never visited"),
    "namesnobody": ("never_stops_with_an_unvisited_pair", "reason is 'some pair'"),
    "writes": ("leaves_the_counts_alone", "checking changes the counts"),
    "generous": ("verdicts_are_consistent", "it stops with the gap 9.*; epsilon is 4"),
    "endless": ("verdicts_are_consistent", "certified the gap inf; expected a number"),
    "forgetful": ("saving_goes_on", "after saving and loading it says something else"),
}

#: Faults so basic that nearly every check trips over them.
BASIC = {"fourvalues", "floataction", "freshentropy", "ignoredseed", "recommendhides"}

MODEL = {"transitions_follow_model", "rewards_follow_model"}
FOLLOWS = MODEL | {"termination_follows_model", "initial_states_follow_model"}
EVERY_RUN = {"run_is_not_changed", "chunks_do_not_matter", "global_generators_untouched"}

EVERY_BATCH = {
    "failing_task_is_reported",
    "killed_worker_is_reported",
    "standard_output_is_left_alone",
}

#: Further checks that a fault cannot but break as well.
ALSO = {
    "endless": {
        "says_the_same_for_any_division",
        "judges_the_counts_alone",
        "saving_goes_on",
    },
    "freshstream": {
        "same_seed_same_trajectory",
        "global_generators_untouched",
        "saved_environment_resumes",
        "simulator_follows_step",
    },
    "rewardoutsiderange": {"simulator_follows_step"},  # the loop refuses it as well
    "sharedgenerator": {"saved_environment_resumes"},
    "repeatedstream": MODEL | {"initial_states_follow_model"},
    "othersizes": MODEL | {"initial_states_follow_model"},
    "goeson": MODEL | {"model_is_valid"},  # it begins where it says that it is over, too
    "drawszeros": MODEL | {"initial_states_follow_model"},
    "simulatordrawszeros": {"simulator_follows_step"},
    "drawspercall": {"drivers_agree"},
    "forgetsgenerator": {"checkpoint_resumes"},
    "remembers": {"truncation_bootstraps"},  # nor does it learn to prefer anything else
    "globalnumpy": {"same_seed_same_trajectory", "saved_environment_resumes"},
    "globalexploration": {
        "same_seed_same_actions",
        "steps_add_up",
        "recommend_has_no_side_effect",
        "saving_resumes",
        "checkpoint_resumes",
    },
    "outofrange": EVERY_RUN,
    "notanumber": EVERY_RUN,
    "notascalar": EVERY_RUN,
    "nodictionary": EVERY_RUN,
    "undeclared": EVERY_RUN,
    "trains": {"chunks_do_not_matter"},
    "globalsample": {"chunks_do_not_matter", "saving_resumes"},
    "loseslast": EVERY_BATCH,
    "runstwice": EVERY_BATCH,
    "mixesup": {"killed_worker_is_reported"},
}

CASES = [
    pytest.param(f"kit_{kind}s", name, *found, id=f"{kind}-{name}")
    for kind, table in {
        "environment": ENVIRONMENTS,
        "model": MODELS,
        "agent": AGENTS,
        "bound": BOUNDS,
        "metric": METRICS,
        "executor": EXECUTORS,
        "stopping_rule": STOPPING_RULES,
    }.items()
    for name, found in table.items()
]


@pytest.fixture(autouse=True)
def rolled_as_long_as_stepped(monkeypatch):
    """The toys' simulators step in Python, and each fault shows in the steps of a walk."""
    monkeypatch.setattr(model_checks, "N_ROLLED", model_checks.N_STEPS)


@pytest.mark.filterwarnings("ignore::mfbpi_core.errors.ModelWarning")  # the kit's own business
@pytest.mark.parametrize(("module", "plugin", "check", "says"), CASES)
def test_fault_is_found(install, module, plugin, check, says):
    """The right check fails, says why, and names plugin, distribution and rule."""
    install("kit-good", "kit_good")
    registry = install("kit-broken", module)
    checks = [c for c in checks_for("kit-broken", registry) if c.plugin == plugin]

    results = [c.result() for c in checks]

    failed = {r.check: r.message for r in results if r.status == "failed"}
    expected = {check} | ALSO.get(plugin, set())
    if expected & FOLLOWS:
        expected.add("simulator_follows_model")  # the toys' simulator is `step` itself
    assert failed.keys() >= expected if plugin in BASIC else failed.keys() == expected, failed
    message = failed[check]
    assert message.startswith(f"{checks[0].kind} {plugin} of kit-broken 1.0 breaks {check}: ")
    assert re.search(says, message), message
    assert "(rule: " in message

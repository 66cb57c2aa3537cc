"""What leaves the range of float32 is an error, not a number in a table."""

import copy
import math
import pickle

import attrs
import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_core.errors import CheckpointError, ConfigError, SolverError, UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning import divergence, paths
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN

PATHS = (paths.COMPILED, paths.TORCH)


def drive(learner, environment, n_steps):
    """Steps of a learner on its own."""
    observation, _ = environment.reset(seed=0)
    for _ in range(n_steps):
        action = learner.select_actions([observation])[0]
        following, reward, terminated, truncated, _ = environment.step(action)
        learner.update([Transition(observation, action, reward, following, terminated, truncated)])
        observation = environment.reset()[0] if terminated or truncated else following


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("name", "value"), [("learning_rate", 1e30), ("prior_scale", 1e39)])
def test_numbers_that_are_none(make_learner, environment_type, path, name, value):
    """A step or a prior as large as no number is: all comparisons would be false."""
    learner = make_learner(environment_type(), **{name: value})
    learner.take(path)

    with (
        np.errstate(all="ignore"),
        pytest.raises(
            SolverError, match=rf"left the range of float32: .*{name}=1e\+3[09].* or a sm"
        ),
    ):
        drive(learner, environment_type(), 200)


@pytest.mark.parametrize("path", PATHS)
def test_weights_that_never_move_again(make_learner, environment_type, path):
    """The square of a derivative is infinite long before the values are."""
    learner = make_learner(environment_type())
    learner.take(path)
    drive(learner, environment_type(), 30)
    learner.lanes[0].replay.columns["reward"][:] = 1e30

    with pytest.raises(
        SolverError, match=r"network 1 of 1, .*after 64 updates, .*rewards from .*1e"
    ):
        drive(learner, environment_type(), 64)

    assert np.isfinite(learner.q.flat).all()
    assert learner.updates == divergence.PERIOD


def spoil(network, number, replica=0):
    """One average of a weight's squares leaves the range, in a table if there is one."""
    last_layer = network.second_moment[network.sizes.places[-2] :]
    averages = last_layer if network.table is None else network.table.blocks[:, 2]
    averages[replica * len(averages) // network.sizes.replicas] = number


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_no_state_is_taken_of_what_cannot_go_on(make_learner, environment_type, path, number):
    """Nor a copy, however long ago the last look was; before, a state is as good as ever."""
    learner = make_learner(environment_type())
    learner.take(path)
    for copied in (copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert copied(learner).path == path
    drive(learner, environment_type(), 30)
    state = learner.state_dict()
    spoil(learner.q, number)

    for take in (learner.state_dict, lambda: copy.deepcopy(learner)):
        with pytest.raises(SolverError, match=r"network 1 of 1, .* after 15 updates, .*smaller .*"):
            take()
    learner.load_state_dict(state)
    assert learner.state_dict().keys() == state.keys()


def test_tables_are_looked_at(make_learner, small_sea):
    """Most weights of one-hot inputs are there; this row is one that nothing reads."""
    learner = make_learner(small_sea())
    drive(learner, small_sea(), 30)
    learner.q.table.blocks[3, 2] = np.inf
    learner.updates = divergence.TABLE_PERIOD - 20
    with pytest.raises(SolverError, match=rf"network 1 of 1, .* {divergence.TABLE_PERIOD} updates"):
        drive(learner, small_sea(), 40)


def test_the_end_of_a_run_is_looked_at(make_learner, environment_type):
    """At the horizon, wherever between two looks that is."""
    learner = make_learner(environment_type())
    learner.problem = attrs.evolve(learner.problem, horizon=40)
    drive(learner, environment_type(), 39)
    spoil(learner.q, np.inf)
    with pytest.raises(SolverError, match="after 25 updates"):
        drive(learner, environment_type(), 1)


def test_replicas_are_told_apart(make_learner, environment_type):
    """Which are lost, with the rewards of those alone; and that others need not end with them."""
    learner = make_learner(environment_type(), seeds=(0, 1, 2))
    for lane, reward in zip(learner.lanes, (-1e6, 2.0, 3.0), strict=True):
        lane.replay.added = 1
        lane.replay.columns["reward"][0] = reward
    spoil(learner.q, np.nan, replica=1)
    with pytest.raises(
        SolverError,
        match=r"not finite in replica 1 of 0 to 2 .* from 2 to 2;.*without replicas do not\)",
    ):
        learner.state_dict()
    spoil(learner.q, np.inf, replica=2)
    with pytest.raises(SolverError, match=r"in replica 1, 2 of 0 to 2 .* rewards from 2 to 3;"):
        learner.state_dict()
    values = {"q": np.array([[[0.0]], [[1.0]], [[np.nan]]])}
    with pytest.raises(SolverError, match=r"\(q\) are no numbers in replica 2 of 0 to 2"):
        divergence.checked(learner, values)


@pytest.mark.parametrize("reward", [1e39, -1e300, math.nan, math.inf])
def test_rewards_that_are_no_float32(make_learner, small_sea, reward):
    """They would be stored as infinity."""
    learner, (observation, _) = make_learner(small_sea()), small_sea().reset(seed=0)
    with pytest.raises(UsageError, match=r"has reward .*; expected a float32, 3\.4e\+38 at most"):
        learner.update([Transition(observation, 0, reward, observation)])
    assert learner.lanes[0].replay.added == 0


def test_a_probability_that_no_mask_is_drawn_with():
    """Masks take 24 random bits: below, no member would ever learn."""
    assert DeepConfig(mask_probability=2.0**-24)
    with pytest.raises(ConfigError, match="mask_probability"):
        DeepConfig(mask_probability=1e-46)


def test_large_rewards_are_learned_from(make_learner, small_sea):
    """A million is no reason to stop."""
    learner = make_learner(small_sea())
    drive(learner, small_sea(), 20)
    learner.lanes[0].replay.columns["reward"][:] = 1e6
    drive(learner, small_sea(), 200)
    assert learner.updates == 205


class Bonus(BootstrappedDQN):
    """Prefers what is untried, forbids what is not allowed, and is very sure of itself."""

    made = (np.inf, -np.inf, 1.7e308)

    def values(self, encoded, priors):
        """With numbers of its own."""
        values = super().values(encoded, priors)
        shape = values["q"].shape
        own = {f"own {i}": np.full(shape, number) for i, number in enumerate(self.made)}
        return {**values, **own, "both": values["q"] + own["own 1"]}


@pytest.mark.parametrize("path", PATHS)
def test_what_an_algorithm_makes_of_values_may_be_infinite(make_learner, small_sea, path):
    """And sums of finite numbers may be too large for any; but each is a number."""
    learner = make_learner(small_sea(), learner=Bonus)
    learner.take(path)
    with np.errstate(over="ignore"):
        drive(learner, small_sea(), 30)
        assert learner.updates == 15
        learner.made = (np.nan,) * 3
        with pytest.raises(SolverError, match=r"values \(own 0\) are no numbers after 15 updates"):
            learner.recommend(small_sea().reset(seed=0)[0])


@pytest.mark.parametrize("path", PATHS)
def test_outputs_that_are_not_finite(make_learner, environment_type, path):
    """Of networks, whatever is made of them."""
    learner = make_learner(environment_type())
    learner.take(path)
    learner.q.flat[learner.q.sizes.places[-2] :] = np.inf
    match = "outputs of networks and priors are not finite after 0 updates"
    with np.errstate(all="ignore"), pytest.raises(SolverError, match=match):
        learner.recommend(environment_type().reset(seed=0)[0])


@pytest.mark.parametrize("path", PATHS)
def test_a_bad_state_is_refused_by_what_has_diverged(make_learner, environment_type, path):
    """The error is about the state, and everything is as it was; a good one helps."""
    learner = make_learner(environment_type())
    learner.take(path)
    drive(learner, environment_type(), 30)
    state = learner.state_dict()
    spoil(learner.q, np.nan)
    before = copy.deepcopy(vars(learner.q)["second_moment"]), learner.lanes[0].rng.random(3)
    learner.lanes[0].replay.columns["reward"][0] = 7.0
    with pytest.raises(CheckpointError, match=r"updates is -1; expected 0 to"):
        learner.load_state_dict({**state, "updates": -1})
    np.testing.assert_array_equal(learner.q.second_moment, before[0])
    assert learner.lanes[0].replay.columns["reward"][0] == 7.0
    assert not np.array_equal(learner.lanes[0].rng.random(3), before[1])
    learner.load_state_dict(state)
    assert learner.state_dict().keys() == state.keys()

"""Bootstrapped DQN: batches by hand, priors, memory, and what it learns."""

import numpy as np
import pytest
import torch

from mfbpi_core import Interaction, Transition
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN, Estimates, spread, taken
from mfbpi_lib_torch.networks.layers import Activations
from mfbpi_lib_torch.testing import Plain, array_problem, hand_batch

EMPTY = torch.empty(0)


class Double(BootstrappedDQN):
    """With double targets."""

    double = True


class StoringMasks(BootstrappedDQN):
    """With masks stored in the replay buffer."""

    stores_masks = True


def hand_estimates() -> Estimates:
    """Two members, two actions, [R, B, A, 2 n]: columns are s_1, s_2, s'_1, s'_2."""
    online = torch.tensor([[[[0.0, 0, 8, 0], [0, 0, 6, 0]], [[0, 0, 1, 0], [0, 0, 3, 0]]]])
    target = torch.tensor([[[[0.0, 0, 2, 7], [0, 0, 4, 7]], [[0, 0, 5, 7], [0, 0, -1, 7]]]])
    return Estimates(Activations(EMPTY, EMPTY, EMPTY), online, target, 2)


def test_targets_by_hand(make_learner, small_sea):
    """Plain: 1 + max(2, 4) / 2 and 1 + max(5, -1) / 2; double: actions 0 and 1 of the online Q."""
    plain, double = make_learner(small_sea()), make_learner(small_sea(), learner=Double)

    targets = plain.target(hand_batch(), hand_estimates())
    doubles = double.target(hand_batch(), hand_estimates())

    torch.testing.assert_close(targets, torch.tensor([[[3.0, 2.0], [3.5, 2.0]]]))
    torch.testing.assert_close(doubles, torch.tensor([[[2.0, 2.0], [0.5, 2.0]]]))


def test_taken_and_spread_are_inverse():
    """Values of the chosen actions are picked, and derivatives go back to their place."""
    values = torch.arange(12.0).view(1, 2, 3, 2)  # [R, B, A, n]
    actions = torch.tensor([[[2, 0]]])

    picked = taken(values, actions)

    torch.testing.assert_close(picked, torch.tensor([[[4.0, 1.0], [10.0, 7.0]]]))
    full = spread(picked, actions, 3)
    torch.testing.assert_close(taken(full[None], actions), picked)
    assert full.count_nonzero() == 4


def test_masked_entries_teach_nothing(environment_type, make_learner):
    """A member whose mask is all zero keeps its weights; the others change."""
    learner = make_learner(environment_type(), batch_size=4)
    fill(learner, environment_type(), 10)
    batch = learner.memory.sample(learner.lanes)
    batch.mask[...] = 1.0
    batch.mask[:, 2] = 0.0
    before = learner.q.layers.w2.clone()

    learner.learn(batch)

    changed = (learner.q.layers.w2 != before).flatten(1).any(1)
    assert changed.tolist() == [True, True, False, True]


def fill(learner: BootstrappedDQN, environment, n_steps: int) -> list[Transition]:
    """Store the transitions of random actions, without learning."""
    rng = np.random.default_rng(8)
    observation, _ = environment.reset(seed=3)
    transitions = []
    for _ in range(n_steps):
        action = int(rng.integers(environment.n_actions))
        following, reward, terminated, truncated, _ = environment.step(action)
        transition = Transition(observation, action, reward, following, terminated, truncated)
        learner.memory.store(learner.lanes, [transition])
        transitions.append(transition)
        observation = environment.reset()[0] if terminated or truncated else following
    return transitions


def test_batches_hold_what_happened(environment_type, make_learner):
    """Every sampled column is that of a stored transition; only termination ends the discount."""
    learner = make_learner(environment_type(), mask_probability=1.0)
    transitions = fill(learner, environment_type(), 40)
    seen = {(t.action, np.float32(t.reward), t.terminated) for t in transitions}

    batch = learner.memory.sample(learner.lanes)

    assert batch.mask is None
    columns = (batch.actions, batch.rewards, batch.discounts)
    for action, reward, discount in zip(*(c.flatten().tolist() for c in columns), strict=True):
        assert discount in (0.0, np.float32(0.99))
        assert (action, np.float32(reward), discount == 0.0) in seen


def test_priors_of_a_batch_are_the_fixed_networks(environment_type, make_learner):
    """Stored or tabulated, they equal the scaled outputs at s and s', before and after learning."""
    learner = make_learner(environment_type(), batch_size=1, buffer_size=1)
    (transition,) = fill(learner, environment_type(), 1)
    pair = (transition.observation, transition.next_observation)
    prior = learner.priors["q"]
    expected = [torch.from_numpy(prior.at(learner.encoder.encode([o]))).view(4, -1) for o in pair]
    flat = prior.flat.copy()
    for _ in range(3):
        batch = learner.memory.sample(learner.lanes)
        torch.testing.assert_close(batch.priors["q"][..., 0], expected[0])
        torch.testing.assert_close(batch.priors["q"][..., 1], expected[1])
        learner.learn(batch)

    np.testing.assert_array_equal(flat, prior.flat)


def test_a_tabulated_prior_is_its_network(make_learner, small_sea):
    """The table over cells is what the same prior gives for dense one-hot features."""
    table = make_learner(small_sea(), one_hot="yes").priors["q"]
    dense = make_learner(small_sea(), one_hot="no").priors["q"]
    cells = np.eye(16, dtype=np.float32)
    for cell in range(16):
        looked_up = table.at(np.array([cell]))
        torch.testing.assert_close(looked_up, dense.at(cells[cell][None]))
    torch.testing.assert_close(table.at(np.array([16])), dense.at(np.zeros((1, 16), np.float32)))


def test_values_are_network_plus_prior(environment_type, make_learner):
    """Q = network + scale x prior: twice the scale adds the prior once more."""
    environment = environment_type()
    observation, _ = environment.reset(seed=1)
    once, twice = (make_learner(environment_type(), prior_scale=scale) for scale in (3.0, 6.0))
    encoded = once.encoder.encode([observation])

    values = [
        learner.values(encoded, learner.memory.priors_at(encoded)) for learner in (once, twice)
    ]

    prior = once.priors["q"].at(encoded).reshape(4, -1)
    np.testing.assert_allclose(values[1]["q"][0] - values[0]["q"][0], prior, atol=1e-5)


def test_the_chosen_action_is_stored(make_learner, small_sea):
    """With every action slipping, the buffer holds the chosen actions, and shows all as slipped."""
    learner = make_learner(small_sea(slip=1.0))
    transitions = fill(learner, small_sea(slip=1.0), 40)

    columns = learner.lanes[0].replay.columns

    chosen = [t.action for t in transitions]
    np.testing.assert_array_equal(columns["action"][:40], chosen)
    assert slip_rate(columns, 40) == 1.0


def test_the_slip_rate_can_be_measured_in_the_buffer(make_learner, small_sea):
    """Of 4,000 stored moves that show their direction, about 0.05 went the other way."""
    learner = make_learner(small_sea(), buffer_size=4000)
    fill(learner, small_sea(), 4000)

    assert slip_rate(learner.lanes[0].replay.columns, 4000) == pytest.approx(0.05, abs=0.02)


def slip_rate(columns: dict[str, np.ndarray], n: int) -> float:
    """Share of moves opposite to the action stored, where walls do not hide the direction."""
    now, following = columns["now"][:n], columns["next"][:n]
    visible = (now % 4 > 0) & (now % 4 < 3) & (following < 16)
    went_right = following % 4 > now % 4
    return float((went_right != columns["action"][:n].astype(bool))[visible].mean())


def test_memory_of_the_largest_sea():
    """1e5 transitions of DeepSea 50 take less than 100 MB, priors and masks included."""
    problem = array_problem((50, 50), observation_kind="one_hot")
    learner = StoringMasks(problem, DeepConfig(hidden=32), [np.random.default_rng(0)])
    tables = sum(prior.table.nbytes for prior in learner.priors.values())

    assert learner.lanes[0].replay.capacity == 100_000
    assert learner.lanes[0].replay.nbytes + tables < 10e6


def test_stored_masks_are_kept(make_learner, small_sea):
    """A transition comes with the same mask each time it is drawn, ones with the probability."""
    learner = make_learner(small_sea(), learner=StoringMasks, mask_probability=0.5)
    fill(learner, small_sea(), 300)
    stored = learner.lanes[0].replay.columns["mask"]

    batch = learner.memory.sample(learner.lanes)

    assert batch.mask.shape == (1, 4, 16)
    assert stored.mean() == pytest.approx(0.5, abs=0.06)


def test_fresh_masks_differ(make_learner, small_sea):
    """Without storing, each batch has masks of its own."""
    learner = make_learner(small_sea())
    fill(learner, small_sea(), 20)
    masks = [learner.memory.sample(learner.lanes).mask for _ in range(200)]

    assert torch.stack(masks).mean().item() == pytest.approx(0.7, abs=0.03)
    assert not torch.equal(masks[0], masks[1])


def test_a_member_acts_for_an_episode(make_learner, small_sea):
    """The member changes at ends of episodes only."""
    learner = make_learner(small_sea(), exploration_steps=0.0, ensemble_size=50)
    agent_members = []
    environment = small_sea()
    observation, _ = environment.reset(seed=0)
    for _ in range(40):
        agent_members.append(learner.lanes[0].member)
        action = learner.select_actions([observation])[0]
        following, reward, terminated, _, _ = environment.step(action)
        learner.update([Transition(observation, action, reward, following, terminated)])
        observation = environment.reset()[0] if terminated else following
    by_episode = np.array(agent_members).reshape(10, 4)

    assert (by_episode == by_episode[:, :1]).all()
    assert len(set(by_episode[:, 0])) > 5


def test_a_time_limit_does_not_lower_the_value(make_config):
    """One state, reward 1, gamma 0.9, time limit 5: values tend to 10, not to 4.1 or 3.6."""
    problem = array_problem((1,), discount=0.9, n_actions=1)
    config = make_config(learning_rate=0.02, prior_scale=0.0)
    learner = BootstrappedDQN(problem, config, [np.random.default_rng(0)])
    one = np.ones(1, dtype=np.float32)
    for step in range(1, 1201):
        learner.update([Transition(one, 0, 1.0, one, truncated=step % 5 == 0)])

    values = learner.values(learner.encoder.encode([one]), {})["q"]
    np.testing.assert_allclose(values, 10.0, atol=0.3)


def test_it_solves_a_small_sea(make_problem, make_config, small_sea):
    """Size 4, slips of 0.05: after 300 episodes most of the last 50 succeed."""
    config = make_config(hidden=16, batch_size=32, buffer_size=2000, learning_rate=2e-3)
    agent = Plain(make_problem(small_sea()), config, np.random.default_rng(0))
    interaction = Interaction(small_sea(), agent, seed=1)
    interaction.advance(1000)

    last = interaction.advance(200)

    assert (last.rewards > 0.5).sum() > 30


def test_one_thread(make_learner, small_sea):
    """An agent that learns in torch leaves it with one thread."""
    make_learner(small_sea()).take(paths.TORCH)

    assert torch.get_num_threads() == 1

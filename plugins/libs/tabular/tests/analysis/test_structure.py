import numpy as np
import pytest
from scipy import sparse

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ModelError, ModelWarning
from mfbpi_lib_tabular.analysis import description, reach, structure


def _deterministic(moves, **options) -> TabularMDP:
    """An instance in which action a leads from s surely to moves[s][a]."""
    successors = np.array(moves)[:, :, None]
    return TabularMDP.from_successors(
        successors, np.ones(successors.shape), np.zeros(successors.shape[:2]), **options
    )


def test_riverswim_is_one_class(riverswim):
    """Every state of the river reaches every other."""
    mdp = riverswim(6)

    assert structure.is_communicating(mdp)
    assert [c.tolist() for c in structure.closed_classes(mdp)] == [list(range(6))]
    assert reach.unreachable_states(mdp).size == 0


def test_two_closed_classes():
    """State 0 can fall into {1, 2} or {3} and never return."""
    mdp = _deterministic([[1, 3], [2, 2], [1, 1], [3, 3]])

    assert not structure.is_communicating(mdp)
    assert [c.tolist() for c in structure.closed_classes(mdp)] == [[1, 2], [3]]


def test_unreachable_states_are_named():
    """From state 0 only 0 and 1 can be reached."""
    mdp = _deterministic([[1, 0], [0, 0], [0, 3], [3, 3]])

    assert reach.unreachable_states(mdp).tolist() == [2, 3]


def test_initial_distribution_decides_what_is_reachable():
    """Started in state 3, nothing else is reached."""
    mdp = _deterministic([[1, 0], [0, 0], [0, 3], [3, 3]], initial=[0, 0, 0, 1])

    assert reach.unreachable_states(mdp).tolist() == [0, 1, 2]


def test_reachable_is_what_powers_of_the_graph_fill():
    """Random graphs with several ways, some of probability zero, and several first states."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(30):
        successors = rng.integers(12, size=(12, 1, 3))
        probabilities = rng.dirichlet([1.0, 1.0], (12, 1)) @ [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        initial = np.where(np.arange(12) < 2, 0.5, 0.0)
        mdp = TabularMDP.from_successors(
            successors, probabilities, np.zeros(successors.shape), initial=initial
        )
        graph = np.eye(12) + (mdp.transitions > 0.0).any(axis=1)
        reached = (initial @ np.linalg.matrix_power(graph, 12)) > 0.0
        missing = np.flatnonzero(~reached).tolist()
        seen.add(len(missing))

        assert reach.unreachable_states(mdp).tolist() == missing
    assert len(seen) > 3


def test_stationary_distribution_by_hand(riverswim):
    """Always right in a two-state river: 0.3 up, 0.7 down, so 0.7 and 0.3 of the time."""
    assert structure.stationary_distribution(riverswim(2), [1, 1]) == pytest.approx([0.7, 0.3])


def test_stationary_distribution_is_balanced(garnet):
    """Balance mu P = mu for a random chain, deterministic and stochastic policies."""
    mdp = garnet(200)
    for policy in (np.zeros(200, dtype=int), np.full((200, 3), 1 / 3)):
        mu = structure.stationary_distribution(mdp, policy)
        weights = np.eye(3)[policy] if policy.ndim == 1 else policy
        chain = np.einsum("sa,sat->st", weights, mdp.transitions)

        assert mu.sum() == pytest.approx(1.0)
        assert mu @ chain == pytest.approx(mu, abs=1e-14)


def _ladder(up, down) -> sparse.csr_array:
    """The chain that goes from s up with rate up[s] and from s + 1 down with down[s]."""
    chain = np.diag(up, 1) + np.diag(down, -1)
    return sparse.csr_array(chain + np.diag(1.0 - chain.sum(axis=1)))


@pytest.mark.parametrize("seed", range(20))
def test_rare_transitions_keep_their_digits(seed):
    """Rates from 1e-1 to 1e-6: each frequency is right to rounding, relative to itself."""
    rng = np.random.default_rng(seed)
    up, down = 10.0 ** rng.uniform(-6, -1, size=(2, int(rng.integers(2, 30))))
    expected = np.cumprod(np.append(1.0, up / down))

    found = structure.chain_distribution(_ladder(up, down))

    assert found == pytest.approx(expected / expected.sum(), rel=1e-12, abs=1e-300)


def test_elimination_does_not_overflow():
    """Frequencies that span more than a double can: those of the top are right."""
    found = structure.chain_distribution(_ladder(np.full(499, 0.9), np.full(499, 0.1)))

    assert np.isfinite(found).all()
    assert found[-3:] == pytest.approx([8 / 729, 8 / 81, 8 / 9], rel=1e-12)


def test_large_chains_agree_with_elimination(garnet, monkeypatch):
    """Beyond its size limit the elimination gives way to a factorisation."""
    mdp, policy = garnet(60), np.zeros(60, dtype=int)
    expected = structure.stationary_distribution(mdp, policy)
    monkeypatch.setattr(structure, "ELIMINATED_STATES", 10)

    found = structure.stationary_distribution(mdp, policy)

    assert found == pytest.approx(expected, rel=1e-9)


def test_transient_states_have_no_weight():
    """One closed class is enough: states left for good have frequency zero."""
    mdp = _deterministic([[1, 1], [2, 2], [1, 1]])

    assert structure.stationary_distribution(mdp, [0, 0, 0]) == pytest.approx([0.0, 0.5, 0.5])


def test_reducible_chain_names_its_classes():
    """The frequencies would depend on the start: the message lists the states of each class."""
    mdp = _deterministic([[0, 1], [2, 0], [1, 0]])

    with pytest.raises(ModelError, match=r"2 closed classes, of states \{0\}; \{1, 2\}"):
        structure.stationary_distribution(mdp, [0, 0, 0])


def test_episodes_restart_the_walk():
    """Three steps 0, 1, 2 and the end: each third of the time, and communicating."""
    mdp = _deterministic([[1], [2], [3], [3]], terminal=np.array([False, False, False, True]))

    third = pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])
    assert structure.stationary_distribution(mdp, [0, 0, 0, 0]) == third
    assert structure.is_communicating(mdp)
    assert reach.unreachable_states(mdp).size == 0


def test_episode_that_ends_before_it_starts():
    """With every first state terminal there is no walk."""
    with pytest.warns(ModelWarning, match="begins in the terminal state 0"):
        mdp = _deterministic([[1], [1]], terminal=np.array([True, False]))

    with pytest.raises(ModelError, match="every first state is terminal"):
        structure.walk(mdp)


def test_start_in_the_end_is_diagnosed():
    """Where every first state is terminal, that is said, and nothing raised."""
    with pytest.warns(ModelWarning, match="begins in the terminal state 0"):
        mdp = TabularMDP.from_dense(np.full((2, 1, 2), 0.5), [[0.0], [0.5]], terminal=[True, False])

    assert description.diagnose(mdp) == [
        "every episode begins in a terminal state: there is no walk"
    ]

"""Ensembles: products, gradients and steps against torch's own."""

import numpy as np
import pytest
import torch

from mfbpi_lib_torch.device import CPU
from mfbpi_lib_torch.networks.ensemble import Ensemble, Initial, Inputs, table_rows
from mfbpi_lib_torch.networks.layers import Sizes
from mfbpi_lib_torch.networks.rows import Rows

R, B, N = 2, 3, 5


def ensemble(one_hot: bool, rate: float = 0.01) -> Ensemble:
    """Two replicas of three members: 6 inputs, 4 hidden units, 2 outputs."""
    sizes = Sizes(replicas=R, members=B, inputs=6, hidden=4, outputs=2, one_hot=one_hot)
    generators = [np.random.default_rng(seed) for seed in range(R)]
    return Ensemble(sizes, Initial(rule="truncated_normal"), rate, generators, CPU)


def one_hot_batch(n_teaching: int = N) -> tuple[Inputs, torch.Tensor]:
    """Cells, one of them twice, and the same as dense one-hot features [R, N, 6]."""
    cells = np.array([[0, 5, 2, 2, 1], [3, 3, 4, 0, 5]])
    features = torch.nn.functional.one_hot(torch.from_numpy(cells), 6).float()
    return Inputs(rows=Rows.of(table_rows(cells, 6), n_teaching, CPU)), features


def first_weights(network: Ensemble) -> torch.Tensor:
    """Weights of the first layer, [R, 6, B * 4], wherever they are kept."""
    if network.table is None:
        return network.layers.w1.clone()
    rows = table_rows(np.tile(np.arange(6), (R, 1)), 6)
    return network.table.peek(rows.ravel()).view(R, 6, -1)


def member_output(network: Ensemble, r: int, b: int, x: torch.Tensor) -> torch.Tensor:
    """Outputs [n, 2] of one network, computed on its own."""
    g, own = r * B + b, slice(4 * b, 4 * b + 4)
    layers = network.layers
    h1 = (x @ first_weights(network)[r, :, own] + layers.b1[r, 0, own]).relu()
    h2 = (h1 @ layers.w2[g] + layers.b2[g, 0]).relu()
    return h2 @ layers.w3[g].T + layers.b3[g, :, 0]


@pytest.mark.parametrize("one_hot", [True, False])
def test_members_are_separate_networks(one_hot):
    """Every member of every replica gives what it would give alone."""
    network = ensemble(one_hot)
    inputs, features = one_hot_batch()

    network.open(inputs if one_hot else Inputs(features=features))
    out = network.online().out.view(R, B, 2, N)

    for r in range(R):
        for b in range(B):
            expected = member_output(network, r, b, features[r]).T
            torch.testing.assert_close(out[r, b], expected)
    torch.testing.assert_close(network.copied().view_as(out), out)


def test_a_table_and_a_product_are_one():
    """One-hot inputs looked up and multiplied: the same outputs, and the same after 50 steps."""
    table, dense = ensemble(one_hot=True), ensemble(one_hot=False)
    inputs, features = one_hot_batch(n_teaching=N - 1)
    generator = torch.Generator().manual_seed(9)
    for step in range(50):
        d_out = torch.randn(R * B, 2, N - 1, generator=generator)
        for network, batch in ((table, inputs), (dense, Inputs(features=features))):
            network.open(batch)
            network.learn(network.online(), d_out)
            if step % 4 == 0:
                network.copy_to_target()

    np.testing.assert_allclose(table.flat, dense.flat[-table.flat.size :], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(first_weights(table), dense.layers.w1, atol=1e-4, rtol=1e-4)
    table.open(inputs)
    dense.open(Inputs(features=features))
    torch.testing.assert_close(table.copied(), dense.copied(), atol=1e-3, rtol=1e-3)


def test_gradients_are_autograds():
    """The gradient written by hand is that of automatic differentiation, for the first k inputs."""
    network = ensemble(one_hot=False)
    _, features = one_hot_batch()
    weights = torch.randn(R * B, 2, 3, generator=torch.Generator().manual_seed(3))
    flat = network.layers.flat.requires_grad_()
    with torch.enable_grad():
        outputs = [member_output_from_flat(network, g, features[g // B, :3]) for g in range(R * B)]
        loss = sum((weights[g] * outputs[g].T).sum() for g in range(R * B))
    expected = torch.autograd.grad(loss, flat)[0]

    with torch.no_grad():
        network.open(Inputs(features=features))
        network.learn(network.online(), weights)

    torch.testing.assert_close(network.gradient.flat, expected)


def member_output_from_flat(network: Ensemble, g: int, x: torch.Tensor) -> torch.Tensor:
    """Outputs [n, 2] of a network as a function of the flat weights, for differentiation."""
    layers = type(network.layers)(network.sizes, network.layers.flat)
    r, b = divmod(g, B)
    own = slice(4 * b, 4 * b + 4)
    h1 = (x @ layers.w1[r, :, own] + layers.b1[r, 0, own]).relu()
    h2 = (h1 @ layers.w2[g] + layers.b2[g, 0]).relu()
    return h2 @ layers.w3[g].T + layers.b3[g, :, 0]


def test_acting_equals_the_batch():
    """Outputs for single inputs are those of a batch, and nothing changes."""
    network = ensemble(one_hot=True)
    inputs, _ = one_hot_batch()
    network.open(inputs)
    network.learn(network.online(), torch.ones(R * B, 2, N))
    before = network.state_dict()

    alone = network.act(np.array([5, 0]))

    network.open(inputs)
    batch = network.online().out.view(R, B, 2, N)
    torch.testing.assert_close(torch.from_numpy(alone).view(R, B, 2)[0], batch[0, :, :, 1])
    torch.testing.assert_close(torch.from_numpy(alone).view(R, B, 2)[1], batch[1, :, :, 3])
    np.testing.assert_array_equal(before["flat"], network.flat)


def test_replicas_start_as_on_their_own():
    """A replica's first weights depend on its own generator only."""
    both = ensemble(one_hot=True)
    sizes = Sizes(replicas=1, members=B, inputs=6, hidden=4, outputs=2, one_hot=True)
    generators = [np.random.default_rng(1)]
    alone = Ensemble(sizes, Initial(rule="truncated_normal"), 0.01, generators, CPU)

    assert torch.equal(both.layers.w2[B:], alone.layers.w2)
    np.testing.assert_array_equal(both.table.blocks[7:], alone.table.blocks)

"""Adam and the table of rows: against torch's own, dense, step by step."""

import numpy as np
import torch

from mfbpi_lib_torch.device import CPU
from mfbpi_lib_torch.networks.adam import adam_
from mfbpi_lib_torch.networks.rows import Rows, RowTable

NO_ROWS = np.array([], dtype=np.int64)
RATE = 0.01


def test_adam_is_torchs():
    """Twenty steps with random gradients end where torch.optim.Adam does."""
    generator = torch.Generator().manual_seed(0)
    ours = torch.randn(50, generator=generator)
    theirs = ours.clone().requires_grad_()
    optimiser = torch.optim.Adam([theirs], lr=RATE)
    m, v = torch.zeros(50), torch.zeros(50)
    for step in range(1, 21):
        gradient = torch.randn(50, generator=generator) * 1e-3
        theirs.grad = gradient
        optimiser.step()
        adam_(ours, gradient, m, v, step, RATE)

    torch.testing.assert_close(ours, theirs.detach(), rtol=1e-6, atol=1e-7)


class Dense:
    """The same weights under torch's dense Adam, with a target copy."""

    def __init__(self, weights: torch.Tensor) -> None:
        self.weights = weights.clone().requires_grad_()
        self.target = weights.clone()
        self.optimiser = torch.optim.Adam([self.weights], lr=RATE)

    def step(self, index: torch.Tensor, gradient: torch.Tensor) -> None:
        """Take a step with a gradient for some rows."""
        self.weights.grad = torch.zeros_like(self.weights).index_add_(0, index, gradient)
        self.optimiser.step()


def test_rows_are_those_of_dense_adam():
    """300 steps that touch few rows: dense Adam's weights, within 1e-4 of the way they went.

    Online weights and target copies alike, in every row.
    """
    rng, generator = np.random.default_rng(1), torch.Generator().manual_seed(1)
    weights = torch.randn(40, 6, generator=generator)
    table, dense = RowTable(weights.numpy(), RATE, NO_ROWS, CPU, target=True), Dense(weights)
    for step in range(300):
        rows = Rows.of(rng.integers(40, size=(1, 8)), 5, CPU)
        opened = table.open(rows)
        picked = rows.index[rows.inverse[0]]
        at = slice(None)
        torch.testing.assert_close(opened.online(at)[0], dense.weights[picked], rtol=0, atol=5e-5)
        torch.testing.assert_close(opened.copied(at)[0], dense.target[picked], rtol=0, atol=5e-5)
        gradient = torch.randn(1, 5, 6, generator=generator) * 1e-3
        opened.learn(gradient)
        dense.step(picked[:5], gradient[0])
        if step % 4 == 0:
            table.copy_to_target()
            dense.target = dense.weights.detach().clone()

    everything = table.peek(np.arange(40))
    torch.testing.assert_close(everything, dense.weights.detach(), rtol=0, atol=5e-5)


def test_rows_follow_dense_adam_where_eps_counts():
    """Gradients of 1e-7, where Adam's eps is half of the denominator: within 0.3 % of the way."""
    rng, generator = np.random.default_rng(1), torch.Generator().manual_seed(1)
    weights = torch.zeros(40, 6)
    table, dense = RowTable(weights.numpy(), RATE, NO_ROWS, CPU, target=False), Dense(weights)
    for _ in range(300):
        rows = Rows.of(rng.integers(40, size=(1, 8)), 5, CPU)
        gradient = torch.randn(1, 5, 6, generator=generator) * 1e-7
        table.open(rows).learn(gradient)
        dense.step(rows.index[rows.inverse[0, :5]], gradient[0])

    way = dense.weights.detach().abs().max().item()
    everything = table.peek(np.arange(40))
    torch.testing.assert_close(everything, dense.weights.detach(), rtol=0, atol=3e-3 * way)


def test_inputs_beyond_the_first_k_teach_nothing():
    """Only the rows of the first inputs get a gradient; the others move as momentum bids."""
    table = RowTable(np.zeros((3, 2), np.float32), RATE, NO_ROWS, CPU, target=False)
    opened = table.open(Rows.of(np.array([[0, 1]]), 1, CPU))

    opened.learn(torch.ones(1, 1, 2))

    moved = table.peek(np.arange(3))
    assert (moved[0] < 0).all()
    assert not moved[1:].any()


def test_peek_changes_nothing():
    """Reading rows leaves the state as it was, to the bit."""
    table = RowTable(np.ones((4, 2), np.float32), RATE, NO_ROWS, CPU, target=True)
    for _ in range(3):
        table.open(Rows.of(np.array([[0, 2]]), 2, CPU)).learn(torch.ones(1, 2, 2))
    before = table.state_dict()

    first, second = table.peek(np.array([0, 1])), table.peek(np.array([0, 1]))

    torch.testing.assert_close(first, second, rtol=0, atol=0)
    for name, value in table.state_dict().items():
        np.testing.assert_array_equal(value, before[name])


def test_frozen_rows_never_learn():
    """The row for an input of zeros keeps selecting nothing."""
    table = RowTable(np.zeros((3, 2), np.float32), RATE, np.array([2]), CPU, target=False)
    for _ in range(5):
        table.open(Rows.of(np.array([[1, 2]]), 2, CPU)).learn(torch.ones(1, 2, 2))

    assert not table.peek(np.array([2])).any()
    assert table.peek(np.array([1])).all()

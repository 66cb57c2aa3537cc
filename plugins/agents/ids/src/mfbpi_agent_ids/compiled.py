"""The step of the quantile network of IDS, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.held import Held, Holder
from mfbpi_lib_torch.kernels.parts import (
    Batch,
    First,
    Floats,
    Gradient,
    Net,
    Pass,
    first_space,
    gradient_space,
    pass_space,
)
from mfbpi_lib_torch.kernels.passes import backward, forward
from mfbpi_lib_torch.kernels.steps import take_member
from mfbpi_lib_torch.kernels.tables import close_rows
from mfbpi_lib_torch.kernels.values import include, open_values
from mfbpi_lib_torch.networks.layers import Sizes


class QuantileSpace(NamedTuple):
    """Space for the update of the quantile network."""

    first: First
    seen: Pass
    gradient: Gradient


def quantile_space(net: Net, n: int) -> QuantileSpace:
    """Space for batches of n transitions."""
    return QuantileSpace(
        first_space(net, 2 * n), pass_space(net, 2 * n), gradient_space(net, 2 * n)
    )


class QuantileUpdate(NamedTuple):
    """The quantile network, and what its update takes.

    Attributes:
        net: the network.
        batch: transitions; all count, whatever their masks.
        levels: [quantiles], in (0, 1).
        space: space.
    """

    net: Net
    batch: Batch
    levels: Floats
    space: QuantileSpace


def check_levels(sizes: Sizes, n_levels: int, n_actions: int, quantiles: int) -> None:
    """See to it that nothing is read beyond its end: compiled functions ask for no sizes.

    Args:
        sizes: of the quantile network.
        n_levels: levels of quantiles.
        n_actions: A.
        quantiles: of the parameters, by which values are read.

    Raises:
        UsageError: when the network has other members than one, or levels and outputs are not
            those of the parameters.
    """
    if (sizes.members, sizes.outputs, n_levels) != (1, n_actions * quantiles, quantiles):
        raise UsageError(
            f"a quantile network has {sizes.members} members with {sizes.outputs} outputs, and "
            f"there are {n_levels} levels; expected one member with {n_actions} x {quantiles} "
            f"outputs and {quantiles} levels, as n_actions and the parameter quantiles say"
        )


@compiled
def hold_quantiles(update: QuantileUpdate) -> Held:
    """Unpack once what :func:`learn_quantiles` takes."""
    return Holder(update)


@compiled
def learn_quantiles(update: Held, step: int) -> None:
    """Step number ``step`` of the network; what is held is a :class:`QuantileUpdate`."""
    net, batch, levels, space = update.content
    n_learning, count = choose_all(batch, space.seen)
    open_values(net, batch, space.first, True)
    forward(net, net.flat, space.first.online, batch, 0, count, space.seen)
    derive_quantiles(batch, levels, space, n_learning)
    backward(net, space.seen, 0, n_learning, space.gradient, space.first)
    take_member(net, 0, space.gradient, step)
    if net.one_hot:
        close_rows(net, batch, space.first, step)


@compiled
def choose_all(batch: Batch, to: Pass) -> tuple[int, int]:
    """Every s, and every s' that something follows; how many learn, and how many there are."""
    to.place[: batch.counts[0]] = -1
    count = 0
    for i in range(batch.now.size):
        count = include(batch.now[i], to.sites, to.place, count)
    n_learning = count
    for i in range(batch.now.size):
        if batch.discounts[i] > 0.0:
            count = include(batch.following[i], to.sites, to.place, count)
    return n_learning, count


@compiled
def derive_quantiles(batch: Batch, levels: Floats, space: QuantileSpace, n_learning: int) -> None:
    """Write the derivative of the quantile Huber loss by the outputs."""
    seen, to = space.seen, space.gradient.out
    quantiles = levels.size
    to[:n_learning] = 0
    scale = to.dtype.type(-1.0 / (quantiles * batch.now.size))
    target = np.empty(quantiles, to.dtype)
    above, below = np.empty_like(target), np.empty_like(target)
    for i in range(batch.now.size):
        write_target(batch, i, seen, target)
        row = seen.place[batch.now[i]]
        start = batch.actions[i] * quantiles
        pull(target, seen.padded_out[row, start : start + quantiles], above, below)
        derivative = to[row, start : start + quantiles]
        for j in range(quantiles):
            weighted = levels[j] * above[j] + (1 - levels[j]) * below[j]
            derivative[j] += weighted * scale


@compiled
def write_target(batch: Batch, i: int, seen: Pass, to: Floats) -> None:
    """The targets of transition i: r + gamma Z(s', a'), a' the action of largest mean."""
    to[:] = batch.rewards[i]
    if batch.discounts[i] > 0.0:
        quantiles = seen.padded_out[seen.place[batch.following[i]], : seen.out.shape[1]]
        start = largest_mean(quantiles, to.size) * to.size
        best, discount = quantiles[start : start + to.size], batch.discounts[i]
        for j in range(to.size):
            to[j] += discount * best[j]


@compiled
def largest_mean(quantiles: Floats, size: int) -> int:
    """Which part of that size has the largest mean, the first of equals."""
    best, highest = 0, quantiles[:size].mean()
    for a in range(1, quantiles.size // size):
        mean = quantiles[a * size : (a + 1) * size].mean()
        if mean > highest:
            best, highest = a, mean
    return best


@compiled
def pull(target: Floats, predicted: Floats, above: Floats, below: Floats) -> None:
    """For each prediction, the sums over the targets of the errors above and below it, cut at 1."""
    zero, one = target.dtype.type(0), target.dtype.type(1)
    above[:] = 0
    below[:] = 0
    for t in range(target.size):
        for j in range(predicted.size):
            error = target[t] - predicted[j]
            above[j] += min(max(error, zero), one)
            below[j] += max(min(error, zero), -one)

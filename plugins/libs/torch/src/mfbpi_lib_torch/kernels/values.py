"""Bootstrapped DQN, compiled; see :mod:`mfbpi_lib_torch.learning.bootstrapped`."""

from __future__ import annotations

from typing import NamedTuple

from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.kernels.compiling import compiled, leaf
from mfbpi_lib_torch.kernels.held import Held
from mfbpi_lib_torch.kernels.parts import (
    Batch,
    First,
    Floats,
    Gradient,
    Integers,
    Net,
    Pass,
    first_space,
    gradient_space,
    pass_space,
)
from mfbpi_lib_torch.kernels.passes import backward, forward
from mfbpi_lib_torch.kernels.steps import take_member
from mfbpi_lib_torch.kernels.tables import close_rows, open_rows


class Rule(NamedTuple):
    """How an ensemble learns.

    Attributes:
        double: whether the target's action is the online network's.
        everywhere: whether members are needed at every s', whatever masks and targets are.
        huber: Huber's loss, or else the square.
        divisor: of the mean loss, 1 as a rule.
    """

    double: bool
    everywhere: bool
    huber: bool
    divisor: float

    @property
    def loss(self) -> str:
        """Its name."""
        return "huber" if self.huber else "squared"

    @property
    def follows(self) -> bool:
        """Whether members are needed at s' at all, not their target copies alone."""
        return self.double or self.everywhere


class Space(NamedTuple):
    """Space for the update of an ensemble of values."""

    first: First
    online: Pass
    target: Pass
    gradient: Gradient


def space_of(net: Net, n: int) -> Space:
    """Space for batches of n transitions."""
    sites = 2 * n
    passes = pass_space(net, sites), pass_space(net, sites)
    return Space(first_space(net, sites), *passes, gradient_space(net, sites))


class ValueUpdate(NamedTuple):
    """An ensemble of values, and what its update takes.

    Attributes:
        net: the networks.
        batch: transitions.
        prior: [sites, B * A]; without sites if there is none.
        rule: how they learn.
        space: space.
    """

    net: Net
    batch: Batch
    prior: Floats
    rule: Rule
    space: Space


def check_sizes(net: Net, batch: Batch, prior: Floats, n_actions: int) -> None:
    """See to it that nothing is read beyond its end: compiled functions ask for no sizes.

    Args:
        net: an ensemble of values.
        batch: with a mask for each member.
        prior: [sites, B * A], or without sites.
        n_actions: A.

    Raises:
        UsageError: when it has other members than masks, or other outputs than actions.
    """
    members, width = len(batch.mask), prior.shape[1] if len(prior) else net.members * n_actions
    if (net.members, net.outputs) != (members, n_actions) or width != members * n_actions:
        raise UsageError(
            f"an ensemble has {net.members} members with {net.outputs} outputs, and a prior of "
            f"{width} in all; expected {members} members, as ensemble_size says, with an output "
            f"for each of {n_actions} actions"
        )


@compiled
def learn_values(update: Held, step: int) -> None:
    """Step number ``step`` of every member; what is held is a :class:`ValueUpdate`."""
    net, batch, prior, rule, space = update.content
    follows = rule.double or rule.everywhere
    open_values(net, batch, space.first, follows or not net.has_target)
    for b in range(net.members):
        step_member(net, batch, b, prior, rule, space, step)
    if net.one_hot:
        close_rows(net, batch, space.first, step)


@leaf
def step_member(
    net: Net, batch: Batch, b: int, prior: Floats, rule: Rule, space: Space, step: int
) -> int:
    """The same for member b, but for first layers that are tables.

    Returns:
        At how many sites the member was evaluated; ``space.online`` has its values there.
    """
    n_learning, n_online = choose_online(batch, b, rule, space.online)
    n_target = choose_target(batch, b, space.target)
    evaluate(net, net.flat, space.first.online, batch, b, n_online, prior, space.online)
    evaluate(net, net.target, space.first.target, batch, b, n_target, prior, space.target)
    derive_values(net, batch, b, rule, space, n_learning)
    backward(net, space.online, b, n_learning, space.gradient, space.first)
    take_member(net, b, space.gradient, step)
    return n_online


@compiled
def open_values(net: Net, batch: Batch, first: First, online: bool) -> None:
    """Look up first layers that are tables."""
    if net.one_hot:
        open_rows(net, batch, first, online)
        first.gradient[: batch.counts[1]] = 0


@leaf
def choose_online(batch: Batch, b: int, rule: Rule, to: Pass) -> tuple[int, int]:
    """The sites from which member b learns and, where they are needed, those that follow.

    Returns:
        The numbers of those that learn and of all.
    """
    n_learning = choose_learning(batch, b, to)
    count = n_learning
    discounts, mask, following = batch.discounts, batch.mask, batch.following
    sites, place = to.sites, to.place
    if rule.double or rule.everywhere:
        for i in range(following.size):
            if discounts[i] > 0.0 and (rule.everywhere or mask[b, i]):
                count = include(following[i], sites, place, count)
    return n_learning, count


@leaf
def choose_learning(batch: Batch, b: int, to: Pass) -> int:
    """The sites from which member b learns, and how many they are."""
    mask, now, sites, place = batch.mask, batch.now, to.sites, to.place
    place[: batch.counts[0]] = -1
    count = 0
    for i in range(now.size):
        if mask[b, i]:
            count = include(now[i], sites, place, count)
    return count


@leaf
def choose_target(batch: Batch, b: int, to: Pass) -> int:
    """The sites at which the targets of member b need its target copy, and how many they are."""
    discounts, mask, following = batch.discounts, batch.mask, batch.following
    sites, place = to.sites, to.place
    place[: batch.counts[0]] = -1
    count = 0
    for i in range(following.size):
        if mask[b, i] and discounts[i] > 0.0:
            count = include(following[i], sites, place, count)
    return count


@leaf
def include(site: int, sites: Integers, place: Integers, count: int) -> int:
    """Add a site unless it is there; how many there are then."""
    if place[site] >= 0:
        return count
    place[site] = count
    sites[count] = site
    return count + 1


@leaf
def evaluate(
    net: Net,
    flat: Floats,
    first: Floats,
    batch: Batch,
    b: int,
    count: int,
    prior: Floats,
    to: Pass,
) -> None:
    """A forward pass, priors added."""
    if count == 0:
        return
    forward(net, flat, first, batch, b, count, to)
    if prior.shape[0] > 0:
        start, outputs = b * net.outputs, net.outputs
        for i in range(count):
            added = prior[to.sites[i], start : start + outputs]
            for a in range(outputs):
                to.out[i, a] += added[a]


@leaf
def derive_values(
    net: Net, batch: Batch, b: int, rule: Rule, space: Space, n_learning: int
) -> None:
    """The derivative by the outputs of the mean loss over members and batch.

    What is read for each transition is looked up once: a field of a tuple costs a little each time.
    """
    to, online, copied = space.gradient.out, space.online.out, space.target.out
    place, copied_place = space.online.place, space.target.place
    mask, now, following, actions = batch.mask, batch.now, batch.following, batch.actions
    rewards, discounts, double, huber = batch.rewards, batch.discounts, rule.double, rule.huber
    to[:n_learning] = 0
    scale = to.dtype.type(1.0 / (net.members * now.size * rule.divisor))
    for i in range(now.size):
        if mask[b, i]:
            row, action = place[now[i]], actions[i]
            target = rewards[i]
            if discounts[i] > 0.0:
                site = following[i]
                there = copied_place[site]
                best = largest(online, place[site]) if double else largest(copied, there)
                target += discounts[i] * copied[there, best]
            to[row, action] += slope(online[row, action] - target, huber) * scale


@leaf
def largest(values: Floats, row: int) -> int:
    """The place of the largest number in a row, the first of equals."""
    best, most = 0, values[row, 0]
    for a in range(1, values.shape[1]):
        value = values[row, a]
        best = a if value > most else best
        most = value if value > most else most
    return best


@leaf
def slope(error: float, huber: bool) -> float:
    """The derivative of the loss by the error."""
    if huber:
        return min(max(error, -1.0), 1.0)
    return 2.0 * error

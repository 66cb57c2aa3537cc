"""The update of DBMF-BPI, compiled: both ensembles, member by member."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled, leaf
from mfbpi_lib_torch.kernels.held import Held, Holder
from mfbpi_lib_torch.kernels.parts import (
    Batch,
    Booleans,
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
from mfbpi_lib_torch.kernels.steps import clear, take_member
from mfbpi_lib_torch.kernels.tables import close_rows
from mfbpi_lib_torch.kernels.values import (
    Rule,
    ValueUpdate,
    choose_learning,
    choose_online,
    choose_target,
    derive_values,
    evaluate,
    include,
    largest,
    open_values,
    slope,
    step_member,
)


class MomentSpace(NamedTuple):
    """Space for the update of the moments.

    Attributes:
        first, seen, gradient: as for values.
        living: int64 [n], transitions with a derivative.
        lives: bool [2 n], for each place among the sites whether it is one of theirs.
    """

    first: First
    seen: Pass
    gradient: Gradient
    living: Integers
    lives: Booleans


def moment_space(net: Net, n: int) -> MomentSpace:
    """Space for batches of n transitions."""
    spaces = first_space(net, 2 * n), pass_space(net, 2 * n), gradient_space(net, 2 * n)
    return MomentSpace(*spaces, np.zeros(n, np.int64), np.zeros(2 * n, np.bool_))


class PairUpdate(NamedTuple):
    """Both ensembles, and what their update takes.

    Attributes:
        values: the values.
        net: the moments.
        prior: [sites that learn, B * A], of the moments; without sites if there is none.
        space: space for the moments.
        k: order of the moments.
        discount: gamma.
    """

    values: ValueUpdate
    net: Net
    prior: Floats
    space: MomentSpace
    k: int
    discount: float


@compiled
def hold_pairs(update: PairUpdate) -> Held:
    """Unpack once what :func:`learn_pairs` takes."""
    return Holder(update)


@compiled
def learn_pairs(update: Held, step: int) -> float:
    """Step number ``step`` of every pair (Q_b, M_b); what is held is a :class:`PairUpdate`.

    Returns:
        The smallest positive gap between the two best actions at s'; infinity if there is none.
    """
    values, m, m_prior, m_space, k, discount = update.content
    q, batch, q_prior, rule, q_space = values
    smallest = math.inf
    open_values(q, batch, q_space.first, True)
    open_values(m, batch, m_space.first, False)
    online, target = q_space.online, q_space.target
    for b in range(q.members):
        n_moments = choose_learning(batch, b, m_space.seen)
        if n_moments > 0:
            forward(m, m.flat, m_space.first.online, batch, b, n_moments, m_space.seen)
        n_learning, n_online = choose_online(batch, b, rule, online)
        n_target = choose_target(batch, b, target)
        n_living = find_living(batch, b, m_space)
        for i in range(n_living):
            n_target = include(batch.now[m_space.living[i]], target.sites, target.place, n_target)
        evaluate(q, q.flat, q_space.first.online, batch, b, n_online, q_prior, online)
        evaluate(q, q.target, q_space.first.target, batch, b, n_target, q_prior, target)
        smallest = min(smallest, smallest_gap(batch, online, n_online))
        derive_values(q, batch, b, rule, q_space, n_learning)
        backward(q, online, b, n_learning, q_space.gradient, q_space.first)
        take_member(q, b, q_space.gradient, step)
        if n_living > 0:
            n_moments = keep_living(batch, m_space, n_living, n_moments)
            m_space.gradient.out[:n_moments] = 0
            derive_moments(m, batch, b, m_prior, rule, k, discount, target, m_space, n_living)
            backward(m, m_space.seen, b, n_moments, m_space.gradient, m_space.first)
        else:
            clear(m_space.gradient)
        take_member(m, b, m_space.gradient, step)
    if q.one_hot:
        close_rows(q, batch, q_space.first, step)
        close_rows(m, batch, m_space.first, step)
    return smallest


@compiled
def learn_values_alone(update: Held, step: int) -> float:
    """Step number ``step`` of the values, where moments are constant; returns the smallest gap.

    What is held is a :class:`ValueUpdate`.
    """
    net, batch, prior, rule, space = update.content
    smallest = math.inf
    open_values(net, batch, space.first, True)
    for b in range(net.members):
        n_online = step_member(net, batch, b, prior, rule, space, step)
        smallest = min(smallest, smallest_gap(batch, space.online, n_online))
    if net.one_hot:
        close_rows(net, batch, space.first, step)
    return smallest


@compiled
def find_living(batch: Batch, b: int, space: MomentSpace) -> int:
    """List the transitions that M_b learns from: behind a ReLU that is off is no derivative."""
    now, actions, mask = batch.now, batch.actions, batch.mask
    out, place, living = space.seen.out, space.seen.place, space.living
    zero, count = out.dtype.type(0), 0
    for i in range(now.size):
        if mask[b, i] and out[place[now[i]], actions[i]] > zero:
            living[count] = i
            count += 1
    return count


@compiled
def keep_living(batch: Batch, space: MomentSpace, n_living: int, count: int) -> int:
    """Move the sites of the living transitions to the front; those behind have no derivative.

    Returns:
        How many they are, of ``count``.
    """
    seen, lives = space.seen, space.lives
    lives[:count] = False
    for each in range(n_living):
        lives[seen.place[batch.now[space.living[each]]]] = True
    kept = 0
    for i in range(count):
        if lives[i]:
            move_site(seen, i, kept)
            kept += 1
    return kept


@compiled
def move_site(seen: Pass, origin: int, to: int) -> None:
    """Move what was seen at a site to another place."""
    if origin != to:
        site = seen.sites[origin]
        seen.sites[to], seen.place[site] = site, to
        for part in (seen.x, seen.h1, seen.h2, seen.padded_out):
            for j in range(part.shape[1]):
                part[to, j] = part[origin, j]


@compiled
def derive_moments(
    net: Net,
    batch: Batch,
    b: int,
    prior: Floats,
    rule: Rule,
    k: int,
    discount: float,
    target: Pass,
    space: MomentSpace,
    n_living: int,
) -> None:
    """Add the derivatives by the outputs of M_b."""
    to, seen = space.gradient.out, space.seen
    scale = to.dtype.type(1.0 / (net.members * batch.now.size))
    for each in range(n_living):
        i = space.living[each]
        site, action = batch.now[i], batch.actions[i]
        moment = seen.out[seen.place[site], action]
        if prior.shape[0] > 0:
            moment += prior[site, b * net.outputs + action]
        error = moment - moment_of(batch, i, k, discount, target)
        to[seen.place[site], action] += slope(error, rule.huber) * scale


@compiled
def moment_of(batch: Batch, i: int, k: int, discount: float, target: Pass) -> float:
    """What the moment of transition i is to become."""
    deviation = batch.rewards[i]
    if batch.discounts[i] > 0.0:
        row = target.place[batch.following[i]]
        deviation += batch.discounts[i] * target.out[row, largest(target.out, row)]
    deviation -= target.out[target.place[batch.now[i]], batch.actions[i]]
    deviation /= discount
    for _ in range(k):
        deviation *= deviation
    return deviation


@compiled
def smallest_gap(batch: Batch, online: Pass, count: int) -> float:
    """The smallest positive gap between the two best actions where something follows."""
    smallest = math.inf
    if online.out.shape[1] == 1:
        return smallest
    out, sites, follows = online.out, online.sites, batch.follows
    for i in range(count):
        if follows[sites[i]]:
            gap = gap_of(out, i)
            if 0.0 < gap < smallest:
                smallest = gap
    return smallest


@leaf
def gap_of(values: Floats, row: int) -> float:
    """The difference between the largest value of a row and the second."""
    best, second = -math.inf, -math.inf
    for a in range(values.shape[1]):
        value = values[row, a]
        if value > best:
            best, second = value, best
        elif value > second:
            second = value
    return best - second

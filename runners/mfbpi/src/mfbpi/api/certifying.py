"""Is the best policy identified by data that somebody else collected?"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi.logs import markov, table, wanted
from mfbpi.notices import warn
from mfbpi.plan import selection
from mfbpi.plan.stopping import check_question
from mfbpi_core.contracts.stopping import Scope, StoppingRule, Verdict
from mfbpi_core.data import exact
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import StopRef
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry
from mfbpi_lib_certificates.checking.fields import LARGEST_TABLE

#: The rule: it needs no earlier checks, and its certificates can be verified.
RULE = "kl_box"

#: A log looks as if it were not Markov where so much dependence is less likely than this.
_UNLIKELY = 0.01


@attrs.frozen(kw_only=True, eq=False)
class Certified:
    """What a log certifies.

    Attributes:
        identified: whether the policy is optimal, or loses at most epsilon, with risk delta.
        policy: int64 [S]; None where nothing is known of some pair in scope.
        gap: the policy loses at most so much.
        reason: why, or why not yet.
        more: int64 [S, A], further samples that are forecast to be enough; all 0 if identified.
        forecast: whether they are; False where they only begin to be.
        batch: int64 [S, A], those of them to collect before asking again: all, or half as many as
            the log has.
        counts: what was counted.
        files: the certificate, by name; the JSON is called "".
    """

    identified: bool
    policy: npt.NDArray[np.int64] | None
    gap: float
    reason: str
    more: npt.NDArray[np.int64]
    forecast: bool
    batch: npt.NDArray[np.int64]
    counts: Counts
    files: dict[str, bytes]

    def write(self, path: str | Path) -> None:
        """Write the certificate, for :func:`mfbpi.verify`.

        Raises:
            UsageError: when there is none, as some pair in scope was never visited.
        """
        if not self.files:
            raise UsageError(f"there is nothing to certify: {self.reason}")
        for name, data in self.files.items():
            target = Path(path) if not name else Path(path).parent / name
            target.write_bytes(data)


def certify(
    log: Any,
    *,
    n_states: int,
    n_actions: int,
    discount: float,
    delta: float = 0.1,
    epsilon: float = 0.0,
    scope: Scope = "all",
    reward_range: tuple[float, float] = (0.0, 1.0),
    terminal: Sequence[int] = (),
    may_end: bool = True,
    ask: bool = True,
) -> Certified:
    """Judge a log that any agent may have collected, however it chose its actions.

    States and actions, their numbers and the range of the rewards are declared, not read from the
    log: they must have been known before it was.

    Args:
        log: a Parquet or CSV file, or a table, with the columns ``s``, ``a``, ``r``, ``s'`` and
            ``terminated``, and maybe ``episode``; one row a step, all steps, in order.
        n_states: S; states are 0 to S - 1.
        n_actions: A.
        discount: gamma, in (0, 1).
        delta: risk, in (0, 1).
        epsilon: accepted loss; 0 asks for an optimal policy.
        scope: states that matter: "all", "visited" or "initial".
        reward_range: lowest and highest reward.
        terminal: states that are known to end the task.
        may_end: whether it may end elsewhere too, which is one outcome more.
        ask: whether to forecast how many samples are missing.

    Raises:
        UsageError: when the log cannot be read, or does not fit what is declared.
    """
    n_states, n_actions = _check_sizes(n_states, n_actions)
    read = table.read(log)
    problem = Problem(
        n_states=n_states,
        n_actions=n_actions,
        discount=discount,
        horizon=len(read.steps),
        reward_range=reward_range,
    )
    rule = _rule(problem, _Asked(delta, epsilon, scope))
    _check(read.steps, problem)
    _doubt(read)
    counts = _counted(read.steps, problem, terminal, may_end=may_end)
    verdict = rule.check(counts)
    more, enough = np.zeros((n_states, n_actions), dtype=np.int64), verdict.stop
    if ask and not verdict.stop:
        more, enough = wanted.more(counts, rule.check, scope)
    return Certified(
        identified=verdict.stop,
        policy=verdict.policy,
        gap=verdict.gap,
        reason=verdict.reason,
        more=more,
        forecast=enough,
        batch=wanted.batch(more, counts.steps),
        counts=counts,
        files=_files(rule, counts, verdict),
    )


def _files(rule: StoppingRule, counts: Counts, verdict: Verdict) -> dict[str, bytes]:
    return rule.certificate(counts, verdict, version=metadata.version("mfbpi"), task=None)


@attrs.frozen
class _Asked:
    """What is asked of the rule."""

    delta: float
    epsilon: float
    scope: Scope


def _rule(problem: Problem, asked: _Asked) -> StoppingRule:
    discount = exact.real(problem.discount)
    if discount is None or not 0.0 < discount < 1.0:
        raise UsageError(f"`discount` is {problem.discount!r}; expected one between 0 and 1")
    check_question(asked.delta, asked.epsilon, asked.scope)
    registry = Registry.discover()
    choice = selection.stopping_rule(registry, RULE, ())
    ref = StopRef(rule=choice.ref(), **attrs.asdict(asked))
    part = assembly.find(registry, "stopping_rule", ref.rule)
    return assembly.stopping_rule(registry, part, ref, problem)


def _check_sizes(n_states: object, n_actions: object) -> tuple[int, int]:
    """The sizes as Python's integers; refuse what no table holds, before one is made."""
    states, actions = _size("states", n_states), _size("actions", n_actions)
    if states**2 * actions > LARGEST_TABLE:
        raise UsageError(
            f"{states} states and {actions} actions are declared; expected S^2 A of "
            f"{LARGEST_TABLE} at most, so that a certificate can be verified"
        )
    return states, actions


def _size(what: str, given: object) -> int:
    size = exact.whole(given)
    if size is None or size < 1:
        told = exact.shown(given)
        raise UsageError(f"{told} {what} are declared; expected an integer of 1 or more")
    return size


def _check(steps: Transitions, problem: Problem) -> None:
    """Refuse what does not fit the declaration."""
    assert problem.n_states is not None  # it was declared
    for name, values, most in (
        ("s", steps.observations, problem.n_states),
        ("s'", steps.next_observations, problem.n_states),
        ("a", steps.actions, problem.n_actions),
    ):
        wrong = np.flatnonzero((values < 0) | (values >= most))
        if len(wrong):
            at = int(wrong[0])
            raise UsageError(
                f"row {at} of the log has {name} = {int(values[at])}; expected 0 to {most - 1}"
            )
    low, high = problem.reward_range
    wrong = np.flatnonzero(~((steps.rewards >= low) & (steps.rewards <= high)))
    if len(wrong):
        at = int(wrong[0])
        pair = (int(steps.observations[at]), int(steps.actions[at]))
        raise UsageError(
            f"row {at} of the log, pair {pair}, has the reward {steps.rewards[at]:g}; expected one "
            f"in the declared range, {low:g} to {high:g} (`reward_range`)"
        )


def _doubt(read: table.Log) -> None:
    """Warn of what may make the log another than it seems."""
    if read.resets:
        warn(
            f"the log goes on from another state than the last step led to, {read.resets} times, "
            "where no episode ends; each is taken for a reset, and steps left out would spoil all"
        )
    if (p := markov.p_value(read.steps)) <= _UNLIKELY:
        warn(
            f"the log does not look Markov: given the pair, the next state depends on the state "
            f"before (p = {p:.3g}); what is certified assumes that it does not"
        )


def _counted(
    steps: Transitions, problem: Problem, terminal: Sequence[int], *, may_end: bool
) -> Counts:
    """The counts, if ends are where they are declared to be."""
    assert problem.n_states is not None  # it was declared
    ends = np.zeros(problem.n_states, dtype=np.bool_)
    known = [n for n in map(exact.whole, terminal) if n is not None and 0 <= n < problem.n_states]
    if len(known) < len(terminal):
        raise UsageError(f"`terminal` is {list(terminal)}; expected states of the instance")
    ends[known] = True
    left = np.flatnonzero(ends[steps.observations])
    if len(left):
        raise UsageError(f"row {int(left[0])} of the log leaves a state that is declared terminal")
    elsewhere = np.flatnonzero(steps.terminated & ~ends[steps.next_observations])
    if len(elsewhere) and not may_end:
        raise UsageError(
            f"row {int(elsewhere[0])} of the log ends the task in a state that is not declared "
            "`terminal`; declare it, or leave `may_end` as it is"
        )
    counts = Counts(
        n_states=problem.n_states,
        n_actions=problem.n_actions,
        terminal=ends,
        may_end=may_end,
    )
    counts.observe(steps)
    return counts

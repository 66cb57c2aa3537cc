"""Does a stopping rule keep its word? Replicas on instances whose model is known."""

from __future__ import annotations

from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi.api.building import make_environment
from mfbpi.api.given import Plugin, one, stopping
from mfbpi.execute.working import compiled
from mfbpi.execute.working.stopping import value_loss
from mfbpi.plan import grid, selection
from mfbpi.plan.stopping import check_question
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.stopping import Scope, StoppingRule
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import StopRef
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.plugin import Plugin as Installed
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.stopping import checked, first_check, next_check

#: What rounding may do to a value, relatively.
_ROUNDING = 1e-9

#: More replicas than anybody runs.
_MOST = 10**8

Finding = Literal["violated", "consistent", "inconclusive"]


@attrs.frozen
class Share:
    """In how many replicas something happened, and what that says of a risk.

    Attributes:
        count: in how many.
        n: of how many.
        low: lower end of the exact 95 % interval of the probability (Clopper & Pearson 1934).
        high: upper end.
        delta: the risk.
    """

    count: int
    n: int
    low: float
    high: float
    delta: float

    @classmethod
    def of(cls, count: int, n: int, delta: float) -> Share:
        """The share, with its interval."""
        # Imported here because only audits need it.
        from mfbpi_lib_statistics.proportions import clopper_pearson

        return cls(count, n, *clopper_pearson(count, n), delta)

    @property
    def finding(self) -> Finding:
        """Above delta for certain, below for certain, or neither."""
        if self.low > self.delta:
            return "violated"
        return "consistent" if self.high <= self.delta else "inconclusive"

    @property
    def needed(self) -> int | None:
        """About how many replicas would tell, if the share stays as it is; None if none would."""
        if self.finding != "inconclusive" or self.count == self.delta * self.n:
            return None
        n = self.n
        while n < _MOST:
            n += max(1, n // 20)
            if Share.of(round(self.count * n / self.n), n, self.delta).finding != "inconclusive":
                return n
        return None


@attrs.frozen(kw_only=True)
class Audit:
    """What replicas say of a rule.

    Attributes:
        wrong: stopped with a policy that loses more than epsilon in scope; over all replicas,
            stopped or not.
        left: the true model was, at some check, outside of the sets; None for a rule without.
        stopped: how many replicas stopped.
    """

    wrong: Share
    left: Share | None
    stopped: int

    @property
    def violated(self) -> bool:
        """Whether either share is above delta for certain."""
        shares = [self.wrong, *([] if self.left is None else [self.left])]
        return any(share.finding == "violated" for share in shares)


def audit(
    *,
    stop: Plugin,
    agent: Plugin,
    environment: Plugin,
    replicas: int = 100,
    steps: int = 20_000,
    discount: float | None = None,
    delta: float = 0.1,
    epsilon: float = 0.0,
    scope: Scope = "all",
    near_tie: float | None = None,
    first_seed: int = 0,
) -> Audit:
    """Run replicas of an agent, and count how often a rule, and its sets, are wrong.

    Errors at stopping are rare on ordinary instances whatever the rule: look at ``left``, and at
    the twin of the instance that is nearly a tie.

    Args:
        stop: name of the rule, or what :func:`mfbpi.stopping_rule` returns; one without a guarantee
            may be audited too.
        agent: name, or what :func:`mfbpi.agent` returns.
        environment: name, or what :func:`mfbpi.environment` returns; its model must be known.
        replicas: how many.
        steps: of each.
        discount: gamma; the environment's own if None.
        delta: risk.
        epsilon: accepted loss.
        scope: states that matter.
        near_tie: a gap, such as 1e-5: the reward of the action that is nearest to the best is
            raised until it loses by so much alone. None leaves the instance as it is.
        first_seed: replicas have the seeds from here on.

    Raises:
        UsageError: when the model is not known, or no audit is possible as asked.
    """
    if replicas < 1:
        raise UsageError(f"`replicas` is {replicas}; expected 1 or more")
    if first_seed < 0:
        raise UsageError(f"`first_seed` is {first_seed}; expected 0 or more")
    check_question(delta, epsilon, scope)
    registry = Registry.discover()
    compiled.find_place(registry)
    where = make_environment(environment)
    mdp = where.model
    if not isinstance(mdp, TabularMDP):
        name = getattr(environment, "name", environment)
        raise UsageError(f"the model of {name} is not known; an audit needs the truth")
    gamma = grid.checked_discount(where.protocol.discount if discount is None else discount)
    if (first := first_check(*mdp.mean_rewards.shape)) > steps:
        raise UsageError(f"`steps` is {steps}; the first check is at step {first}")
    if near_tie is not None:
        mdp = twin(mdp, gamma, near_tie)
    about = assembly.problem(None, where, discount=gamma, horizon=steps)
    (chosen,) = selection.given(registry, "agent", [one(agent, {})])
    named = stopping(stop)
    rule = selection.stopping_rule(registry, named["stop"], named["stop_settings"])
    asked = StopRef(rule=rule.ref(), delta=delta, epsilon=epsilon, scope=scope)
    rule_part = assembly.find(registry, "stopping_rule", asked.rule)
    agent_part = assembly.find(registry, "agent", grid.planned_agent(chosen, about))
    wrong, left, stopped, sets = 0, 0, 0, True
    for seed in range(first_seed, first_seed + replicas):
        streams = Streams(seed)
        replica = _Replica(
            mdp=mdp,
            problem=about,
            rule=assembly.stopping_rule(registry, rule_part, asked, about),
            rule_plugin=rule_part.plugin,
            walk=_walk(
                mdp,
                assembly.agent(registry, agent_part, about, streams.generator("agent")),
                streams.integer("env"),
            ),
        )
        found = replica.run(steps)
        wrong, stopped = wrong + found.wrong, stopped + found.stopped
        sets, left = sets and found.left is not None, left + bool(found.left)
    return Audit(
        wrong=Share.of(wrong, replicas, delta),
        left=Share.of(left, replicas, delta) if sets else None,
        stopped=stopped,
    )


def _walk(mdp: TabularMDP, agent: Any, seed: int) -> Interaction:
    from mfbpi_lib_tabular.models.environment import TabularEnvironment

    where: Environment = TabularEnvironment(mdp)
    return Interaction(where, agent, seed)


@attrs.frozen
class _Found:
    """What one replica showed."""

    stopped: bool
    wrong: bool
    left: bool | None


@attrs.frozen(kw_only=True, eq=False)
class _Replica:
    """One walk with a rule; it goes on after the rule would have stopped it."""

    mdp: TabularMDP
    problem: Problem
    rule: StoppingRule
    rule_plugin: Installed
    walk: Interaction

    def run(self, steps: int) -> _Found:
        """Walk, check on the schedule, and compare with the truth."""
        counts = Counts(
            n_states=self.mdp.n_states,
            n_actions=self.mdp.n_actions,
            terminal=self.mdp.terminal,
            may_end=False,
        )
        step, stopped, wrong, left = first_check(*self.mdp.mean_rewards.shape), False, False, False
        known, remembers = False, bool(self.rule.state_dict())
        while step <= steps and not (stopped and left):  # then nothing is left to be seen
            while counts.steps < step:
                counts.observe(self.walk.advance(step - counts.steps))
            if remembers or not stopped:
                with assembly.blaming(self.rule_plugin):
                    verdict = checked(self.rule_plugin.described, self.rule.check(counts), counts)
                if verdict.stop and not stopped:
                    assert verdict.policy is not None  # a rule that stops says which is best
                    stopped, wrong = True, self._loses(counts, verdict.policy)
            inside = self.rule.contains(counts, self.mdp)
            known, left = known or inside is not None, left or inside is False
            step = next_check(step)
        return _Found(stopped, wrong, left if known else None)

    def _loses(self, counts: Counts, policy: npt.NDArray[np.int64]) -> bool:
        scope = counts.in_scope(self.rule.scope)
        loss, scale = value_loss(self.mdp, policy, self.problem.discount, scope)
        return loss > self.rule.epsilon + _ROUNDING * scale


def twin(mdp: TabularMDP, discount: float, gap: float) -> TabularMDP:
    """The instance with the nearest rival of a best action raised until it loses by ``gap``.

    Raises:
        UsageError: when no rival can be raised within the range of rewards.
    """
    from mfbpi_lib_tabular.solution import planning

    if not gap > 0.0:
        raise UsageError(f"`near_tie` is {gap:g}; expected a gap above 0")
    plan = planning.solve(mdp, discount)
    gaps = plan.values[:, None] - plan.q_values
    room = mdp.reward_range[1] - mdp.rewards.max(axis=2)
    possible = (gaps > gap) & (gaps - gap <= room) & ~mdp.terminal[:, None]
    if not possible.any():
        raise UsageError(
            f"no action can be raised to a gap of {gap:g} within rewards of at most "
            f"{mdp.reward_range[1]:g}; choose another instance, or leave out `near_tie`"
        )
    s, a = np.unravel_index(np.where(possible, gaps, np.inf).argmin(), gaps.shape)
    rewards = mdp.rewards.copy()
    rewards[s, a] += gaps[s, a] - gap
    return TabularMDP.from_successors(
        mdp.successors,
        mdp.probabilities,
        rewards,
        reward_law=mdp.reward_law,
        initial=mdp.initial,
        terminal=mdp.terminal,
        reward_range=mdp.reward_range,
    )

"""Is the best policy identified? Evaluation of the box of all models that the counts allow.

Let pi be optimal in the empirical model. On the event that the true model M lies in the box:

1. V* <= V_up and V_pi >= V_lo, envelopes over the box (:mod:`mfbpi_lib_confidence.envelopes`).
2. A_M(s, a) <= adv(s, a), the smaller of the linear bound of
   :mod:`mfbpi_lib_confidence.advantages` and r_hi + gamma max p.V_pi_up - V_lo(s).
3. V* - V_pi <= W, where W >= max_a adv+(s, a) + gamma max_C p.W: by the performance difference
   lemma V* - V_pi is the value of the optimal policy for the rewards A_M.
4. V* - V_pi <= gap = min(W, V_up - V_lo) in every state.

Identified exactly (epsilon = 0): every adv <= -slack, so that no action improves pi in M and pi is
optimal in all states. Up to epsilon: gap <= epsilon - slack on the scope. The slack is far above
what rounding can do, and below anything that matters.

The sets hold at all times at once: evaluated at any times, however chosen, P(ever wrong) <= delta.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_lib_confidence import verdicts
from mfbpi_lib_confidence.advantages import Linear, Reference, linear_advantages
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.envelopes import Side, envelope
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_tabular.solution.planning import check_discount, solve_arrays

#: Advantages must be below minus this, in units of the reward range by 1 - gamma.
SLACK = 1e-9


@attrs.frozen(kw_only=True, eq=False)
class Evaluation:
    """What the counts certify, with probability 1 - delta.

    Attributes:
        identified: whether pi is certified, for the epsilon and the scope asked for.
        reason: why, or why not yet.
        policy: int64 [S], pi.
        gap: float64 [S], bound of V* - V_pi.
        certified_gap: its largest on the scope.
        margin: float64 [S, A], lower bound of V_pi(s) - Q_pi(s, a): positive where the action is
            certified to be worse; 0 for pi's own action and in terminal states.
        values_upper: float64 [S], V_up >= V*.
        values_lower: float64 [S], V_lo <= V_pi.
        policy_upper: float64 [S], upper bound of V_pi.
        regret: float64 [S], W.
        kappa_low: float64 [pairs of live states, live states], lower ends of the kernels behind
            the advantages.
        kappa_high: upper ends.
        slack: by how much the verdict must be clear.
        box: the confidence set.
    """

    identified: bool
    reason: str
    policy: IntArray
    gap: FloatArray
    certified_gap: float
    margin: FloatArray
    values_upper: FloatArray
    values_lower: FloatArray
    policy_upper: FloatArray
    regret: FloatArray
    kappa_low: FloatArray
    kappa_high: FloatArray
    slack: float
    box: Box


def evaluate(
    evidence: Evidence,
    *,
    discount: float,
    delta: float = 0.1,
    epsilon: float = 0.0,
    scope: BoolArray | None = None,
    thresholds: Thresholds | None = None,
) -> Evaluation:
    """Evaluate the box of the counts; the result depends on them alone.

    Args:
        evidence: counts and sums of rewards.
        discount: gamma, in (0, 1).
        delta: risk, in (0, 1).
        epsilon: accepted loss, 0 or more; 0 asks for an optimal policy.
        scope: bool [S], states that matter, all if omitted; see
            :mod:`mfbpi_lib_confidence.scopes`. epsilon = 0 needs all.
        thresholds: other thresholds than those of ``delta``, for rules that spend it otherwise.

    Raises:
        ConfigError: when a parameter is out of its range, or epsilon = 0 meets a smaller scope.
    """
    gamma = check_discount(discount)
    matter = verdicts.checked_scope(evidence, epsilon, scope)
    box = Box.around(evidence, thresholds or Thresholds.split(evidence, delta))
    upper = Side(box=box, discount=gamma, sign=1.0)
    lower = Side(box=box, discount=gamma, sign=-1.0)
    reference = empirical_reference(evidence, gamma)
    bounds = _Bounds.over(upper, lower, reference)
    scale = evidence.value_range[1] - evidence.value_range[0]
    slack = SLACK * scale / (1.0 - gamma)
    rivals = verdicts.rivals(evidence, reference.policy)
    identified, reason = verdicts.verdict(
        evidence, rivals, bounds.advantages, bounds.gap, matter, epsilon, slack
    )
    return Evaluation(
        identified=identified,
        reason=reason,
        policy=reference.policy,
        gap=bounds.gap,
        certified_gap=float(bounds.gap[matter].max(initial=0.0)),
        margin=-bounds.advantages + 0.0,  # no negative zeros
        values_upper=bounds.values_upper,
        values_lower=bounds.values_lower,
        policy_upper=bounds.policy_upper,
        regret=bounds.regret,
        kappa_low=bounds.linear.kappa_low,
        kappa_high=bounds.linear.kappa_high,
        slack=slack,
        box=box,
    )


def judged(
    base: Evaluation,
    *,
    policy: IntArray,
    advantages: FloatArray,
    gap: FloatArray,
    regret: FloatArray,
    epsilon: float,
    scope: BoolArray | None,
) -> Evaluation:
    """An evaluation with other bounds that hold on the same event, for rules that find them.

    Args:
        base: of the box; its envelopes are those of its own policy.
        policy: int64 [S].
        advantages: float64 [S, A], upper bounds of those of ``policy``.
        gap: float64 [S], bound of its loss.
        regret: float64 [S], W of these advantages.
        epsilon: accepted loss.
        scope: see :func:`evaluate`.
    """
    evidence = base.box.evidence
    matter = verdicts.checked_scope(evidence, epsilon, scope)
    rivals = verdicts.rivals(evidence, policy)
    identified, reason = verdicts.verdict(
        evidence, rivals, advantages, gap, matter, epsilon, base.slack
    )
    return attrs.evolve(
        base,
        identified=identified,
        reason=reason,
        policy=policy,
        gap=gap,
        certified_gap=float(gap[matter].max(initial=0.0)),
        margin=-advantages + 0.0,
        regret=regret,
    )


def for_policy(found: Evaluation, discount: float) -> Evaluation:
    """The evaluation with envelopes and kernels of its own policy, for whatever chose another."""
    evidence, policy = found.box.evidence, found.policy
    upper = Side(box=found.box, discount=discount, sign=1.0)
    lower = Side(box=found.box, discount=discount, sign=-1.0)
    transitions, rewards = empirical_model(evidence)
    at = np.arange(evidence.n_states)
    resolvent = np.linalg.inv(np.eye(evidence.n_states) - discount * transitions[at, policy])
    values = np.where(evidence.terminal, 0.0, resolvent @ rewards[at, policy])
    reference = Reference(policy=policy, values=values, resolvent=resolvent.astype(np.float64))
    bounds = _Bounds.over(upper, lower, reference)
    return attrs.evolve(
        found,
        values_upper=bounds.values_upper,
        values_lower=bounds.values_lower,
        policy_upper=bounds.policy_upper,
        kappa_low=bounds.linear.kappa_low,
        kappa_high=bounds.linear.kappa_high,
    )


def empirical_reference(evidence: Evidence, discount: float) -> Reference:
    """Optimal policy, its values and its resolvent in the empirical model.

    A pair never visited leads to every state alike and pays the least; any reference is valid.
    """
    transitions, rewards = empirical_model(evidence)
    start = np.zeros(evidence.n_states, dtype=np.int64)
    plan = solve_arrays(transitions, rewards, discount, start)
    chosen = transitions[np.arange(evidence.n_states), plan.policy]  # P_pi[s, s']
    resolvent = np.linalg.inv(np.eye(evidence.n_states) - discount * chosen).astype(np.float64)
    values = np.where(evidence.terminal, 0.0, plan.values)
    return Reference(policy=plan.policy.astype(np.int64), values=values, resolvent=resolvent)


def empirical_model(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """Frequencies [S, A, S], rows short by endings, empty in terminal states; rewards [S, A]."""
    table = np.zeros((evidence.n_pairs, evidence.n_outcomes))
    table[evidence.rows, evidence.outcomes] = evidence.frequencies
    visits = evidence.visits
    rewards = evidence.rewards / np.maximum(visits, 1)
    unseen = evidence.unvisited()
    table[unseen.reshape(-1), : evidence.n_states] = 1.0 / evidence.n_states
    rewards[unseen] = evidence.reward_range[0]
    shape = (evidence.n_states, evidence.n_actions, evidence.n_states)
    transitions = table[:, : evidence.n_states].reshape(shape)
    return np.ascontiguousarray(transitions), rewards


@attrs.frozen(kw_only=True, eq=False)
class _Bounds:
    """Steps 1 to 3 of the module; see :class:`Evaluation`.

    ``linear`` is one of the two bounds that ``advantages``, float64 [S, A], are the smaller of.
    """

    values_upper: FloatArray
    values_lower: FloatArray
    policy_upper: FloatArray
    linear: Linear
    advantages: FloatArray
    regret: FloatArray

    @property
    def gap(self) -> FloatArray:
        """Step 4, float64 [S]."""
        return np.minimum(self.regret, self.values_upper - self.values_lower)

    @classmethod
    def over(cls, upper: Side, lower: Side, reference: Reference) -> _Bounds:
        """The bounds of a box."""
        low, high = (v / (1.0 - upper.discount) for v in upper.box.evidence.value_range)
        policy, guess = reference.policy, reference.values
        values_upper = _capped(envelope(upper, guess), upper, high)
        policy_upper = _capped(envelope(upper, guess, policy=policy), upper, high)
        values_lower = _capped(envelope(lower, guess, policy=policy), lower, low)
        linear = linear_advantages(upper, lower, reference)
        advantages = _advantages(upper, linear, reference.policy, policy_upper, values_lower)
        gains = np.maximum(advantages, 0.0).reshape(-1)
        regret = envelope(upper, np.zeros(len(guess)), rewards=gains)
        return cls(
            values_upper=values_upper,
            values_lower=values_lower,
            policy_upper=policy_upper,
            linear=linear,
            advantages=advantages,
            regret=regret,
        )


def _capped(values: FloatArray, side: Side, cap: float) -> FloatArray:
    """Values cut where they leave what any policy can have; a solution of V >= T V remains one."""
    return np.minimum(values, cap) if side.sign > 0 else np.maximum(values, cap)


def _advantages(
    upper: Side,
    linear: Linear,
    policy: IntArray,
    policy_upper: FloatArray,
    values_lower: FloatArray,
) -> FloatArray:
    """The smaller of the two bounds, float64 [S, A]; 0 for pi's own and in terminal states."""
    evidence = upper.box.evidence
    found = linear.advantages
    direct = np.zeros(evidence.n_pairs)
    direct[upper.pairs] = upper.backup(policy_upper, upper.pairs, upper.rewards)
    direct = direct.reshape(found.shape) - values_lower[:, None]
    # Not np.minimum: were one of them NaN, the other would have to be taken.
    smaller = np.where(direct < found, direct, found)
    smaller[upper.states, policy[upper.states]] = 0.0
    smaller[evidence.terminal] = 0.0
    return smaller

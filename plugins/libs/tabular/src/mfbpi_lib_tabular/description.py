"""How hard an instance is: its sizes, gaps, variances, spans, moments and structure."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import TabularMDP
from mfbpi_lib_tabular import gaps, moments, planning, structure

Pair = tuple[int, int]


@attrs.frozen(kw_only=True)
class Description:
    """Quantities of an instance at one discount.

    Attributes:
        n_states: S.
        n_actions: A.
        delta_min: least gap over sub-optimal pairs; 0 with ties, infinite if all are optimal.
        delta_max: largest gap.
        md_min: least over pairs of MD, the largest deviation of V* from its mean at the next
            state; ``md_max`` the largest.
        md_max: see ``md_min``.
        var_min: least variance of V* at the next state; ``var_max`` the largest.
        var_max: see ``var_min``.
        moment_max: largest (M^k)^(2^-k) over pairs and k = 1..19.
        ties: pairs (s, a) that are optimal beside the plan's own action.
        unresolved: pairs whose gap is too small for floating point to tell from zero.
        communicating: whether every state can be reached from every other.
        unreachable: states that no walk from the initial distribution visits.
        n_closed_classes: number of sets of states that cannot be left.
    """

    n_states: int
    n_actions: int
    delta_min: float
    delta_max: float
    md_min: float
    md_max: float
    var_min: float
    var_max: float
    moment_max: float
    ties: list[Pair]
    unresolved: list[Pair]
    communicating: bool
    unreachable: list[int]
    n_closed_classes: int


def describe(mdp: TabularMDP, discount: float) -> Description:
    """Compute the quantities of an instance; terminal states take no part in the extremes.

    Raises:
        ConfigError: when the discount is not in (0, 1).
    """
    plan = planning.solve(mdp, discount)
    separation = gaps.separate(mdp, plan, discount)
    acting = ~mdp.terminal
    delta = separation.gaps[acting]
    own = gaps.policy_mask(plan.policy, mdp.n_actions)[acting]
    spans = moments.spans(mdp, plan.values)[acting]
    variances = moments.variances(mdp, plan.values)[acting]
    roots = moments.largest_moment_roots(mdp, plan.values)[acting]
    return Description(
        n_states=mdp.n_states,
        n_actions=mdp.n_actions,
        delta_min=_least_gap(delta, own, tied=bool(separation.ties)),
        delta_max=float(delta.max()),
        md_min=float(spans.min()),
        md_max=float(spans.max()),
        var_min=float(variances.min()),
        var_max=float(variances.max()),
        moment_max=float(roots.max()),
        ties=separation.ties,
        unresolved=separation.unresolved,
        communicating=structure.is_communicating(mdp),
        unreachable=structure.unreachable_states(mdp).tolist(),
        n_closed_classes=len(structure.closed_classes(mdp)),
    )


def _least_gap(delta: npt.NDArray[np.float64], own: npt.NDArray[np.bool_], *, tied: bool) -> float:
    if tied:
        return 0.0
    return float(delta[~own].min(initial=np.inf))


#: States named one by one in a message.
_NAMED = 10


def diagnose(mdp: TabularMDP) -> list[str]:
    """What a walk cannot do in this instance, in sentences that name the states; empty if fine."""
    messages = []
    unreachable = structure.unreachable_states(mdp).tolist()
    if unreachable:
        messages.append(f"no walk from the start visits {_named(unreachable)}")
    classes = structure.closed_classes(mdp)
    if len(classes) > 1:
        listing = "; ".join(_named(states.tolist()) for states in classes[:_NAMED])
        messages.append(f"{len(classes)} sets of states cannot be left: {listing}")
    if not structure.is_communicating(mdp):
        messages.append("not communicating: some states cannot be reached from some others")
    return messages


def _named(states: list[int]) -> str:
    listing = ", ".join(str(state) for state in states[:_NAMED])
    more = f" and {len(states) - _NAMED} more" if len(states) > _NAMED else ""
    return f"state{'s' if len(states) > 1 else ''} {listing}{more}"

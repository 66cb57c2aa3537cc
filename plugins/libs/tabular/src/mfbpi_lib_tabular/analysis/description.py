"""How hard an instance is: its sizes, gaps, variances, spans, moments and structure."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.plain import JsonObject
from mfbpi_lib_tabular.analysis import reach, shown, structure
from mfbpi_lib_tabular.analysis.hardness import Hardness, measure
from mfbpi_lib_tabular.solution import gaps, moments, planning

Pair = tuple[int, int]

EPS = float(np.finfo(np.float64).eps)


@attrs.frozen(kw_only=True, repr=False)
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
        unresolved: pairs of which it is not known whether their gap is zero.
        communicating: whether every state can be reached from every other.
        unreachable: states that no walk from the initial distribution visits.
        n_closed_classes: number of sets of states that cannot be left.
        hardness: measures from the literature, unless they were not asked for.
        errors: bounds of the errors of the quantities that are floats, by their names.
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
    hardness: Hardness | None
    errors: dict[str, float]

    def to_dict(self) -> JsonObject:
        """Every quantity by its name, as ``mfbpi describe --json`` prints them.

        An infinite number is a float here, and the text ``"inf"`` there.
        """
        return attrs.asdict(self)

    def __repr__(self) -> str:
        """A line for each quantity: its name, the digits that are known, what it means."""
        return shown.plain(self)


def describe(mdp: TabularMDP, discount: float, *, hardness: bool = True) -> Description:
    """Compute the quantities of an instance; terminal states take no part in the extremes.

    Args:
        mdp: the instance.
        discount: gamma, in (0, 1).
        hardness: whether to compute the measures of :mod:`.hardness` too, which takes some
            seconds from hundreds of states on.

    Raises:
        ConfigError: when the discount is not in (0, 1).
    """
    separation = gaps.separate(mdp, planning.solve(mdp, discount), discount)
    ranges = _ranges(mdp, separation)
    return Description(
        n_states=mdp.n_states,
        n_actions=mdp.n_actions,
        **{name: value for name, (value, _) in ranges.items()},
        ties=separation.ties,
        unresolved=separation.unresolved,
        communicating=structure.is_communicating(mdp),
        unreachable=reach.unreachable_states(mdp).tolist(),
        n_closed_classes=len(structure.closed_classes(mdp)),
        hardness=measure(mdp, separation) if hardness else None,
        errors={name: error for name, (_, error) in ranges.items()},
    )


def _ranges(mdp: TabularMDP, found: gaps.Separation) -> dict[str, tuple[float, float]]:
    """The extremes and the bounds of their errors."""
    acting = ~mdp.terminal
    delta = found.gaps[acting]
    off = EPS * delta + found.gap_error
    spread = found.spread(mdp)
    spans, loose = spread.spans[acting], spread.span_errors[acting]
    variances, sure = spread.variances[acting], spread.root_errors[acting]
    squared = 2.0 * np.sqrt(variances) * sure + sure**2
    roots = spread.largest_roots(moments.K_MAX)[acting]
    return {
        "delta_min": _least_gap(mdp, found),
        "delta_max": _extreme(delta, off, np.max),
        "md_min": _extreme(spans, loose, np.min),
        "md_max": _extreme(spans, loose, np.max),
        "var_min": _extreme(variances, squared, np.min),
        "var_max": _extreme(variances, squared, np.max),
        "moment_max": _extreme(roots, sure, np.max),
    }


def _extreme(
    numbers: FloatArray, errors: FloatArray, of: Callable[[FloatArray], np.float64]
) -> tuple[float, float]:
    """Least or largest of some numbers, 0 or more, and how far off it may be."""
    value = float(of(numbers))
    low, high = float(of(np.maximum(numbers - errors, 0.0))), float(of(numbers + errors))
    return value, max(high - value, value - low)


def _least_gap(mdp: TabularMDP, found: gaps.Separation) -> tuple[float, float]:
    """The least gap outside the policy, and how far off it may be: all of it if unresolved."""
    if found.ties:
        return 0.0, 0.0
    own = gaps.policy_mask(found.policy, mdp.n_actions) | mdp.terminal[:, None]
    least = gaps.delta_min(found.gaps, own)
    error = found.gap_error + (EPS * least if np.isfinite(least) else 0.0)
    return least, max(error, least) if found.unresolved else error


#: States named one by one in a message.
_NAMED = 10


def diagnose(mdp: TabularMDP) -> list[str]:
    """What a walk cannot do in this instance, in sentences that name the states; empty if fine."""
    if not (mdp.initial[~mdp.terminal] > 0.0).any():
        return ["every episode begins in a terminal state: there is no walk"]
    messages = []
    unreachable = reach.unreachable_states(mdp).tolist()
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

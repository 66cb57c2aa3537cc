"""Is a certificate valid? Every number is recomputed from the counts, or proved by one backup.

Nothing is shared with the rules that write certificates, and no witness is trusted: any that passes
is a proof. What passes means, under the assumptions that the certificate lists: with probability
1 - delta, over all certificates that one run of a rule would have written, the claim is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_certificates.checking import data, kl_box
from mfbpi_lib_certificates.checking.allowed import Allowed, events, threshold
from mfbpi_lib_certificates.checking.bets.bounds import advantages
from mfbpi_lib_certificates.checking.fields import array, parsed
from mfbpi_lib_certificates.plain import Fields
from mfbpi_lib_certificates.report import Check, RefusedError, Report

#: Shares of the risk of the rule betting: laws and rewards; the other half is that of bets.
LAWS, REWARDS = 0.45, 0.05

#: Steps of a verification: what was checked, and what it says.
Steps = Iterator[tuple[str, str]]


def verify(path: str | Path) -> Report:
    """Check a certificate; stops at the first check that fails.

    Raises:
        UnreadableError: when the file, or the arrays beside it, cannot be read.
    """
    return verified(storage.read(Path(path)))


def verified(fields: Fields) -> Report:
    """The same for fields that were read."""
    passed: list[Check] = []
    steps = _steps(fields)
    claim = ""
    # What overflows or is undefined becomes infinite or NaN, and no comparison lets that pass.
    with np.errstate(all="ignore"):
        try:
            for name, detail in steps:
                passed.append(Check(name, True, detail))
                claim = detail
        except RefusedError as error:
            name = _name(fields, len(passed))
            return Report((*passed, Check(name, False, str(error))), "")
        except MemoryError:
            name = _name(fields, len(passed))
            return Report((*passed, Check(name, False, "it takes more memory than there is")), "")
    return Report(tuple(passed), claim)


#: Names of the checks, in their order, before what depends on the rule and after it.
_NAMES = (
    "schema",
    "counts",
    "rewards",
    "flow",
    "thresholds",
    "witnesses",
    "upper values",
    "upper values of the policy",
    "lower values of the policy",
)
_LAST = ("kernels", "advantages", "regret", "verdict")


def _name(fields: Fields, passed: int) -> str:
    """What the check after those that passed is called."""
    bets = ("bets",) if fields.get("rule") == "betting" else ()
    names = (*_NAMES, *bets, *_LAST)
    return names[min(passed, len(names) - 1)]


def _steps(fields: Fields) -> Steps:
    c = parsed(fields)
    if c.rule not in _RULES:
        raise RefusedError(f"rule {c.rule!r}; known are: {', '.join(sorted(_RULES))}")
    yield "schema", f"rule {c.rule}, {c.n_states} states, {c.n_actions} actions"
    yield "counts", data.check_counts(c)
    yield "rewards", data.check_rewards(c)
    yield "flow", data.check_flow(c)
    if not abs(c.delta_spent - c.delta) <= 0.0:
        raise RefusedError(f"the events spend {c.delta:g}, not {c.delta_spent:g}")
    yield from _RULES[c.rule](c)


def _kl_box(c: Certificate) -> Steps:
    x = threshold(events(c), c.delta)
    _check_thresholds(c, x, x)
    yield "thresholds", f"x = {x:.6g} for each of {events(c)} events"
    yield from _box(c, Allowed.by(c, x, x))


def _betting(c: Certificate) -> Steps:
    laws, rewards = (threshold(c.n_pairs, share * c.delta) for share in (LAWS, REWARDS))
    _check_thresholds(c, laws, rewards)
    yield "thresholds", f"x = {laws:.6g} for laws, {rewards:.6g} for rewards, of {c.n_pairs} pairs"
    yield from _box(c, Allowed.by(c, laws, rewards), bets=True)


def _check_thresholds(c: Certificate, laws: float, rewards: float) -> None:
    for name, x in (("transitions", laws), ("rewards", rewards)):
        claimed = float(array(c.witnesses.get(f"threshold_{name}"), f"threshold_{name}", ()))
        if not abs(claimed - x) <= 1e-12 * x:
            raise RefusedError(f"the threshold for {name} is {claimed:.6g}; expected {x:.6g}")


def _box(c: Certificate, allowed: Allowed, *, bets: bool = False) -> Steps:
    """What follows from the box, and from bets where the certificate has some."""
    found = kl_box.Witnesses.of(c)
    yield "witnesses", "finite"
    yield from kl_box.check_values(c, allowed, found)
    others = None
    if bets and "epochs" in c.witnesses:
        others = advantages(c, allowed, found.policy_upper, found.values_lower)
        yield "bets", "recomputed from the counts at the checks at which they were made"
    elif bets:
        yield "bets", "none are needed"
    proved = yield from kl_box.check_advantages(c, allowed, found, others)
    yield from kl_box.check_regret(c, allowed, found, proved)
    yield "verdict", _verdict(c, found)


#: Rules that are known, and what checks them after the data.
_RULES: dict[str, Callable[[Certificate], Steps]] = {"kl_box": _kl_box, "betting": _betting}


def _verdict(c: Certificate, found: kl_box.Witnesses) -> str:
    """The claim follows from the witnesses."""
    tolerance = kl_box.SHARE_OF_SLACK * c.slack
    width = np.minimum(found.regret, found.values_upper - found.values_lower)
    scope = c.in_scope()
    if not ((width <= c.gap + tolerance) | c.terminal).all():
        raise RefusedError("`gap` is smaller than the bounds that it comes from")
    if not (c.gap[scope].max(initial=0.0) <= c.certified_gap + tolerance):
        raise RefusedError("`certified_gap` is smaller than the gap of a state in scope")
    if not c.identified:
        return f"not identified; the policy loses at most {c.certified_gap:g} in scope {c.scope}"
    if not scope.any():
        raise RefusedError("no state is in scope")
    unseen = (c.visits.reshape(c.n_states, -1) == 0).any(axis=1) & scope
    if unseen.any():
        raise RefusedError(f"a pair of state {int(np.argmax(unseen))} was never visited")
    if _exact(c, found.advantages):
        return f"{_sure(c.delta)} the policy is optimal in every state"
    if c.epsilon > 0.0 and bool((width[scope] <= c.epsilon - 0.5 * c.slack).all()):
        loss = f"loses at most {c.epsilon:g} in each state of scope {c.scope}"
        return f"{_sure(c.delta)} the policy {loss}"
    raise RefusedError("the witnesses do not identify the policy")


def _sure(delta: float) -> str:
    """1 - delta in words; 1 is never claimed."""
    sure = f"{1 - delta:g}"
    return (
        f"except with probability {delta:g}" if sure == "1" else f"with probability at least {sure}"
    )


def _exact(c: Certificate, advantages: np.ndarray) -> bool:
    """Whether every other action is worse."""
    rivals = np.ones((c.n_states, c.n_actions), dtype=np.bool_)
    rivals[np.arange(c.n_states), c.policy] = False
    rivals[c.terminal] = False
    return bool((advantages[rivals] <= -0.5 * c.slack).all())

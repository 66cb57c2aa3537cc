"""Checks of stopping rules: they judge what was seen, on a schedule, and nothing else.

A uniform agent walks through instances of the kit; the rule under check never meets it.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.stopping import StoppingRule, Verdict
from mfbpi_core.data.counts import Counts
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.plugins import assembly
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.running.stopping import Stopping
from mfbpi_core.testing.outcomes import require
from mfbpi_core.testing.subject import DISCOUNT, HORIZON, Subject
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.worlds.doubles import KitAgent
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain

#: Steps of every walk, and the seeds of agent and environment.
N_STEPS, SEEDS = 3_000, (3, 4)

#: Risk and accepted loss: one large enough that rules stop within the walk, if they ever do.
DELTA, EPSILON = 0.1, 4.0

#: Ways to divide a walk: steps of each part, in turn.
DIVISIONS = ((N_STEPS,), (1,), (7, 100), (64,))


def says_the_same_for_any_division(subject: Subject) -> None:
    """However a run is evaluated and divided into chunks, verdicts and their steps are the same."""
    walk = _walked()
    expected = _told(_stopping(subject), walk, DIVISIONS[0])
    require(expected, f"nothing was said in {N_STEPS} steps")
    for division in DIVISIONS[1:]:
        told = _told(_stopping(subject), walk, division)
        require_equal(expected, told, f"in chunks of {division} steps it says something else")


def judges_the_counts_alone(subject: Subject) -> None:
    """What it says does not depend on which agents and environments exist when it is asked."""
    interaction = _interaction(environment := ModelEnvironment(two_state_chain()))
    walk = interaction.advance(N_STEPS)
    expected = _told(_stopping(subject), walk, (100,))
    interaction.advance(N_STEPS)  # what an agent learns afterwards is none of its business
    environment.mdp = _mirrored()
    told = _told(_stopping(subject), walk, (100,))
    require_equal(expected, told, "it says something else when agent and environment have changed")


def never_stops_with_an_unvisited_pair(subject: Subject) -> None:
    """A pair in scope that was never visited forbids to stop, and is named by its numbers."""
    rule, counts, walk = _rule(subject), _counts(), _walked()
    missing = (walk.observations == 1) & (walk.actions == 0)
    counts.observe(_part(walk, ~missing))
    for _ in range(12):  # a million steps and more: whatever can be known of the others is
        _double(counts)
    verdict = rule.check(counts)
    require(not verdict.stop, "it stops although (1, 0) was never visited")
    named = "(1, 0)" in verdict.reason
    require(named, f"the reason is {verdict.reason!r}; expected the pair (1, 0)")


def leaves_the_counts_alone(subject: Subject) -> None:
    """Checking changes nothing in the counts."""
    rule, counts = _rule(subject), _counts()
    counts.observe(_walked())
    before = counts.state_dict()
    rule.check(counts)
    require_equal(before, counts.state_dict(), "checking changes the counts")


def verdicts_are_consistent(subject: Subject) -> None:
    """Gaps are finite, policies are policies, and a rule that stops has a gap within epsilon."""
    stopping = _stopping(subject)
    walk = _walked()
    for part in _parts(stopping, walk, (100,)):
        stopping.observe(part)
        if (verdict := stopping.verdict) is None:
            continue
        _require_consistent(verdict)
        if verdict.stop:
            said = f"it stops with the gap {verdict.gap:g}; epsilon is {EPSILON:g}"
            require(verdict.gap <= EPSILON, said)
            return


def _require_consistent(verdict: Verdict) -> None:
    require(verdict.reason.strip(), "the verdict has no reason")
    margin, shape = verdict.margin, two_state_chain().mean_rewards.shape
    if margin is not None:
        require(margin.shape == shape, f"margin is {margin.shape}; expected {shape}")


def saving_goes_on(subject: Subject) -> None:
    """A rule saved in the middle and restored, into one that has judged, goes on as if never."""
    walk = _walked()
    first, second = _part(walk, slice(0, 500)), _part(walk, slice(500, N_STEPS))
    saved = _stopping(subject)
    _told(saved, first, (50,))
    state = saved.state_dict()
    expected = _told(saved, second, (50,))
    restored = _stopping(subject)
    _told(restored, _part(walk, slice(0, 300)), (50,))
    restored.load_state_dict(state)
    told = _told(restored, second, (50,))
    require_equal(expected, told, "after saving and loading it says something else")


def _rule(subject: Subject) -> StoppingRule:
    problem = _problem(ModelEnvironment(two_state_chain()))
    exact = subject.plugin.spec.guarantee == "delta-exact"
    asked = {"delta": DELTA, "epsilon": 0.0 if exact else EPSILON, "scope": "all"}
    made: StoppingRule = subject.made(problem=problem, **asked, **subject.bound(problem))
    return made


def _counts() -> Counts:
    terminal = two_state_chain().terminal
    return Counts(n_states=2, n_actions=2, terminal=terminal, may_end=False)


def _stopping(subject: Subject) -> Stopping:
    return Stopping(rule=_rule(subject), counts=_counts(), name=subject.plugin.described)


def _problem(environment: Environment) -> Problem:
    return assembly.problem(None, environment, discount=DISCOUNT, horizon=HORIZON)


def _interaction(environment: Environment) -> Interaction:
    agent = KitAgent(_problem(environment), None, np.random.default_rng(SEEDS[0]))
    return Interaction(environment, agent, SEEDS[1])


def _walked() -> Transitions:
    return _interaction(ModelEnvironment(two_state_chain())).advance(N_STEPS)


def _mirrored() -> TabularMDP:
    mdp = two_state_chain()
    return TabularMDP.from_dense(mdp.transitions, mdp.mean_rewards[:, ::-1], reward_law="bernoulli")


def _part(walk: Transitions, which: npt.NDArray[np.bool_] | slice) -> Transitions:
    columns = ("observations", "actions", "rewards", "next_observations", "terminated", "truncated")
    return attrs.evolve(walk, **{name: getattr(walk, name)[which] for name in columns})


def _told(stopping: Stopping, walk: Transitions, division: tuple[int, ...]) -> list[object]:
    """The verdict of each check with its step, until the rule stops."""
    told: list[object] = []
    for part in _parts(stopping, walk, division):
        if stopping.observe(part):
            verdict = stopping.verdict
            assert verdict is not None  # it was just checked
            told.append((stopping.counts.steps, verdict.stop, verdict.gap, verdict.reason))
        if stopping.stopped_at is not None:
            break
    return told


def _parts(
    stopping: Stopping, walk: Transitions, division: tuple[int, ...]
) -> Iterator[Transitions]:
    """The walk in parts that end at every check, as in a run, and where the division says."""
    step, turn = 0, 0
    while step < len(walk):
        to_check = stopping.due_at - stopping.counts.steps
        following = step + min(division[turn % len(division)], to_check)
        yield _part(walk, slice(step, following))
        step, turn = following, turn + 1


def _double(counts: Counts) -> None:
    """Twice of everything that was counted."""
    state = counts.state_dict()
    for name in ("steps", "start", "cuts", "_visits", "_rewards"):
        state[name] = state[name] * 2
    counts.load_state_dict(state)


CHECKS = (
    says_the_same_for_any_division,
    judges_the_counts_alone,
    never_stops_with_an_unvisited_pair,
    leaves_the_counts_alone,
    verdicts_are_consistent,
    saving_goes_on,
)

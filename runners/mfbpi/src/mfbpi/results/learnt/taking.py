"""Which run is meant, and its policy or agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mfbpi.execute.saving.learnt import SUFFIX
from mfbpi_core.errors import UsageError
from mfbpi_core.text import did_you_mean, listed

if TYPE_CHECKING:
    from mfbpi.plan.own import Code
    from mfbpi.results.learnt.learnt import Learnt
    from mfbpi.results.learnt.policy import Policy
    from mfbpi.results.storage.reading import Result
    from mfbpi_core.contracts.agent import Agent


def one(found: Sequence[Result], agent: str | None, env: str | None, seed: int | None) -> Result:
    """The one run that is meant; raises :class:`UsageError` where that is not clear."""
    asked = (agent, env, seed)
    left = [each for each in found if _is_meant(each, asked)]
    if len(left) == 1:
        return left[0]
    labels = [f"({each.task.label})" for each in left or found]
    known = listed(labels, most=5)
    if not left:
        raise UsageError(
            f"no run is the one asked for; {_near(found, agent, env)}there are: {known}"
        )
    raise UsageError(f"{len(left)} runs may be meant; say `agent`, `env` or `seed`: {known}")


def _near(found: Sequence[Result], agent: str | None, env: str | None) -> str:
    """The labels that may have been meant, or nothing."""
    labels = ([r.task.agent.shown for r in found], [r.task.environment.shown for r in found])
    asked = zip((agent, env), labels, strict=True)
    return "".join(
        did_you_mean(name, there) for name, there in asked if name is not None and name not in there
    )


def _is_meant(each: Result, asked: tuple[str | None, str | None, int | None]) -> bool:
    own = each.task.agent.shown, each.task.environment.shown, each.task.seed
    return all(a in (None, b) for a, b in zip(asked, own, strict=True))


def policy(results: Learnt, found: Result, codes: Code = ()) -> Policy:
    """The policy of a run: the table beside its rows, else its agent."""
    # Imported here because it needs the storage of tables.
    from mfbpi.results.learnt.policy import Policy, stored

    task = found.task
    try:
        saved = stored(task, found.content)
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{results.file(task)}: {error}") from error
    if saved is not None:
        return saved
    built = agent(results, found, codes, {})
    return Policy(task=task, actions=None, n_actions=built.problem.n_actions, agent=built)


def agent(results: Learnt, found: Result, codes: Code, parameters: Mapping[str, object]) -> Agent:
    """The agent of a run."""
    if not found.origin.get("agent_saved"):  # a file that is there is of an earlier run
        raise UsageError(
            f"the agent of {found.task.label} was not kept; run with `save_agent`, or ask for "
            "`policy` where states are integers"
        )
    # Imported here because most readers of results build nothing.
    from mfbpi.results.learnt import agents

    return agents.load(results.file(found.task, SUFFIX), found.task, codes, parameters)

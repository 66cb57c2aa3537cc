"""What results offer of what was learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mfbpi.results.learnt import taking

if TYPE_CHECKING:
    from mfbpi.plan.own import Code
    from mfbpi.results.learnt.policy import Policy
    from mfbpi.results.storage.places import Place
    from mfbpi.results.storage.reading import Result
    from mfbpi_core.contracts.agent import Agent
    from mfbpi_core.data.task import Task


class Learnt:
    """Policies and agents, of whoever has found runs and knows their files."""

    found: tuple[Result, ...]

    def file(self, task: Task, suffix: str = ".parquet") -> Place:
        """Where a file of a task is."""
        raise NotImplementedError

    def policy(
        self, agent: str | None = None, env: str | None = None, seed: int | None = None
    ) -> Policy:
        """What a run recommends in the end, to act in any loop: ``policy(observation)``.

        Where observations are arrays it is the agent that recommends, of a run with
        ``save_agent=True``.

        Args:
            agent: label of the agent, where the results are of several.
            env: label of the environment, likewise.
            seed: likewise.

        Raises:
            UsageError: when no run is meant by these, or several are, or nothing is kept of it.

        Example:
            >>> import mfbpi
            >>> results = mfbpi.run(
            ...     "q_learning", "riverswim", seeds=range(2), steps=5_000, out="results/policies",
            ...     executor="serial",
            ... )
            >>> policy = results.policy(seed=1)
            >>> env = mfbpi.make_environment("riverswim")
            >>> state, _ = env.reset(seed=0)
            >>> state, reward, terminated, truncated, _ = env.step(policy(state))
        """
        return taking.policy(self, taking.one(self.found, agent, env, seed))

    def agent(
        self,
        agent: str | None = None,
        env: str | None = None,
        seed: int | None = None,
        *,
        code: Code = (),
        **parameters: Any,
    ) -> Agent:
        """The agent as a run with ``save_agent=True`` has left it, to act with or to learn on.

        Args:
            agent: see :meth:`policy`.
            env: likewise.
            seed: likewise.
            code: ``"./FILE.py:CLASS"`` or a class, where the agent has no packaging: from where
                code is taken is for the reader to say, never for the file. A class of this
                session that ran here needs no saying.
            parameters: those that are to be others than in the run, such as ``device="cpu"``.

        Raises:
            UsageError: as :meth:`policy`.

        Example:
            >>> import mfbpi
            >>> results = mfbpi.run(
            ...     "q_learning", "riverswim", seeds=0, steps=5_000, out="results/agents",
            ...     save_agent=True, executor="serial",
            ... )
            >>> agent = results.agent(seed=0)
            >>> agent.recommend(0) in (0, 1), agent.select_action(0) in (0, 1)
            (True, True)
        """
        found = taking.one(self.found, agent, env, seed)
        return taking.agent(self, found, code, parameters)

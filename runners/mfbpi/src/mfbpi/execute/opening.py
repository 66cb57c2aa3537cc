"""What a directory holds before a run: results that are kept, files that are not what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from mfbpi.execute.driver import Record
from mfbpi.execute.saving import checkpoint
from mfbpi.notices import note, warn
from mfbpi.plan.grid import Site, TaskPlan
from mfbpi.results.storage import files, manifest, sources
from mfbpi.results.storage import reading as results
from mfbpi.results.storage.directory import MANIFEST, SET_ASIDE, STUDY, Store, unwritable
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import Result, ResultError, Versions
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError


@attrs.frozen
class Opening:
    """A directory about to be used.

    Attributes:
        store: the directory.
        if_exists: what to do with results that are there: fail, resume or overwrite.
        touch: whether files may be moved and removed.
    """

    store: Store
    if_exists: str
    touch: bool

    def settle(self, plan: TaskPlan) -> tuple[TaskPlan, list[Record]]:
        """The plan with the metrics of the run that is resumed, and each task as kept or pending.

        Raises:
            UsageError: when the directory cannot be used for this plan.
        """
        directory = self.store.directory
        try:
            self._refuse_others()
            before = manifest.read(directory)
            plan = _with_metrics_of(plan, before) if self.if_exists == "resume" else plan
            if self.if_exists == "overwrite" and plan.shard is None:
                self._leave_alone(plan)  # whatever their settings: they go to where none is lost
            else:
                manifest.check(directory, plan.manifest())
            if self.if_exists == "fail" and self._holds_results(plan):
                which = "" if plan.shard is None else f" of shard {plan.shard}"
                raise UsageError(
                    f"{directory} already holds results{which}; add `if_exists='resume'` to run "
                    "what is missing or `if_exists='overwrite'` to run all again, or choose "
                    "another `out`"
                )
            if self.if_exists == "resume":
                return plan, self._kept(plan, bool(before))
        except OSError as error:
            raise unwritable(directory, error) from error
        return plan, [Record(task=task, status="pending") for task in plan.tasks]

    def _leave_alone(self, plan: TaskPlan) -> None:
        """Move away what is of other tasks: no table may join it with what is run now."""
        own = {task.task_id for task in plan.tasks}
        rows = {path.stem for path in self.store.rows()} - own
        errors = [path for path in self.store.errors() if path.stem not in own]
        if self.touch:
            for task_id in rows:
                self.store.set_aside(task_id)
            for path in errors:
                files.remove(path)
            manifest.forget(self.store.directory)  # last: without it nobody knows what the rest is
        if rows:
            note(
                f"{len(rows)} results in {self.store.directory} are of other tasks and go to "
                f"{SET_ASIDE}, for `if_exists='overwrite'` leaves those of one run alone"
            )

    def _holds_results(self, plan: TaskPlan) -> bool:
        """Whether there are results already; those of other shards are no matter."""
        if plan.shard is None:
            return bool(self.store.rows() or self.store.errors())
        if manifest.path_of(self.store.directory, plan.shard).exists():
            return True
        own = {path.name for task in plan.tasks for path in self._files(task)}
        return any(path.name in own for path in (*self.store.rows(), *self.store.errors()))

    def _files(self, task: Task) -> tuple[Place, ...]:
        return self.store.path(task.task_id), self.store.error(task.task_id)

    def _refuse_others(self) -> None:
        """Refuse a directory whose files are not those of runs, or lie where they once did."""
        manifest.refuse_file(self.store.directory)
        if (self.store.directory / STUDY).exists():
            raise UsageError(
                f"{self.store.directory} holds a study; choose another directory with `out`"
            )
        if self.store.has_old_layout:
            raise UsageError(
                f"{self.store.directory} was written by an earlier version, with its files side by "
                "side; `mfbpi collect` reads it, and a run needs another directory with `out`"
            )

    def _kept(self, plan: TaskPlan, has_manifest: bool) -> list[Record]:
        if not has_manifest and self.store.rows():
            warn(
                f"{self.store.directory} has results and no {MANIFEST}: whether other "
                "results there have the same settings cannot be told"
            )
        versions: list[Versions] = []
        there = results.examine(self.store, plan.tasks)
        pairs = zip(plan.tasks, there, strict=True)
        parts = {site.environment.shown: {*map(sources.named, site.made_of)} for site in plan.sites}
        records = [self._examined(task, found, parts, versions) for task, found in pairs]
        message = results.other_versions(versions)
        if message:
            note(message)
        if self.touch:
            checkpoint.remove_done(self.store)
        return records

    def _examined(
        self,
        task: Task,
        found: Result | ResultError | None,
        parts: Mapping[str, set[str]],
        versions: list[Versions],
    ) -> Record:
        """The record of a task; what only bears its name is moved away, so that it is run again."""
        if isinstance(found, ResultError):
            warn(f"{found}; the task is run again, and what is there goes to {SET_ASIDE}")
            if self.touch:
                self.store.set_aside(task.task_id)
            found = None
        if found is None:
            return Record(task=task, status="pending")
        versions.append(results.comparable(found, parts[task.environment.shown]))
        return Record(task=task, status="kept", file=self.store.path(task.task_id))


def _with_metrics_of(plan: TaskPlan, before: JsonObject) -> TaskPlan:
    """The plan without metrics that became a default after the run was begun."""
    if plan.metrics_asked_for:
        return plan
    return attrs.evolve(plan, sites=tuple(_settled(plan.sites, before.get("environments", {}))))


def _settled(sites: tuple[Site, ...], before: JsonObject) -> Iterator[Site]:
    for site in sites:
        described = before.get(site.environment.shown)
        known = described.get("metrics") if isinstance(described, Mapping) else None
        if not isinstance(known, Mapping):
            yield site
            continue
        new = [metric.shown for metric in site.metrics if metric.shown not in known]
        if new:
            note(
                f"{', '.join(new)} on {site.environment.shown}: not measured, as the run that is "
                "resumed was begun without"
            )
        yield attrs.evolve(site, metrics=tuple(m for m in site.metrics if m.shown in known))

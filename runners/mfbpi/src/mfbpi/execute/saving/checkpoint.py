"""Checkpoints of long runs: what a killed worker goes on from, bit for bit.

A checkpoint belongs to its work and to the programs that made it. One of other work, of another
version of a program, or that does not fit what it claims, is not gone on from: the work starts
again from its beginning, and says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import attrs

from mfbpi.execute.batches import TaskBatch
from mfbpi.execute.saving import encoding
from mfbpi.execute.saving.restored import check_run, rows_from
from mfbpi.execute.working.stage import Begun
from mfbpi.notices import warn
from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files, provenance
from mfbpi.results.storage.directory import Store, StoreError
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.used import Used
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError, SolverError
from mfbpi_core.running.lockstep import Advancing
from mfbpi_core.text import described, said

#: Version of what a checkpoint holds.
FORMAT = 1


@attrs.frozen(kw_only=True)
class Checkpoints:
    """Where and how often runs are saved.

    Attributes:
        directory: the directory of the results.
        every_s: least number of seconds between two checkpoints of a run.
        resume: whether a checkpoint that is there is gone on from.
        shown: how messages call the directory; None for its path.
        shard: the part of the tasks that is run.
        elsewhere: directory in which they lie; None for the same.
    """

    directory: Place
    every_s: float
    resume: bool
    shown: Place | None = None
    shard: Shard | None = None
    elsewhere: Place | None = None

    def saver(self, work: TaskBatch, used: Used) -> Saver:
        """What saves some work; ``used`` is what can change its numbers."""
        return Saver(
            store=Store(self.directory, self.shard, self.elsewhere),
            shown=self.shown or self.directory,
            work=work,
            used=used,
            every_s=self.every_s,
        )

    def anchored(self) -> Checkpoints:
        """The same, wherever plugins change the working directory to."""
        shown = self.shown or self.directory
        elsewhere = None if self.elsewhere is None else self.elsewhere.absolute()
        return attrs.evolve(
            self, directory=self.directory.absolute(), shown=shown, elsewhere=elsewhere
        )


@attrs.define(kw_only=True)
class Saver:
    """Saves one run now and then.

    Attributes:
        store: the directory.
        shown: how messages call it.
        work: what is run.
        used: what can change its numbers.
        every_s: least number of seconds between two checkpoints.
        problem: why the run could not be saved when that was last tried; empty if it could.
    """

    store: Store
    shown: Place
    work: TaskBatch
    used: Used
    every_s: float
    problem: str = ""
    _last: float = attrs.field(factory=time.monotonic)
    _hopeless: bool = False

    @property
    def path(self) -> Place:
        """The file."""
        return self.store.checkpoint(self.work.task_id)

    @property
    def _shown_path(self) -> Place:
        return Store(self.shown, elsewhere=self.store.elsewhere).checkpoint(self.work.task_id)

    def restore(self, runs: Advancing, begun: Sequence[Begun]) -> str:
        """Restore runs, and what each has measured, if they were saved before.

        Returns:
            Why that is not possible, or nothing; the run can then not be used any more.
        """
        if not (self.path.exists() or self.path.is_symlink()):
            return ""
        try:
            tree = encoding.from_bytes(files.read_regular(self.path))
            self._check_origin(tree)
            runs.load_state_dict(tree["run"])
            for each, saved in zip(begun, tree["rows"], strict=True):
                each.rows.extend(rows_from(saved))
                check_run(each.run, each.rows)
        except Exception as error:
            cause = said(error) if isinstance(error, CheckpointError) else described(error)
            return (
                f"{self.work.shown} starts again from its beginning: the checkpoint "
                f"{self._shown_path} cannot be used ({cause})"
            )
        return ""

    def _check_origin(self, tree: object) -> None:
        """Whether the file is that of this work and of these programs."""
        if not isinstance(tree, dict) or tree.get("format") != FORMAT:
            raise CheckpointError("it is of another version of mfbpi")
        if tree["work"] != self.work.to_json():
            raise CheckpointError("it is that of another task")
        before = tree["versions"]
        now = provenance.installed(before, self.used.made_of)
        now["plugins"] |= provenance.of_plugins(self.used.plugins)
        changed = provenance.changes(before, now)
        if changed:
            raise CheckpointError(f"it was made with other versions: {', '.join(changed)}")
        unknown = {plugin.distribution for plugin in self.used.plugins} - set(before["plugins"])
        if unknown:
            raise CheckpointError(f"it was made without {', '.join(sorted(unknown))}")

    def measured(self, runs: Advancing, begun: Sequence[Begun]) -> None:
        """Save, with the rows measured so far, if it is time."""
        if not self._hopeless and time.monotonic() - self._last >= self.every_s:
            self._save(runs, begun)
            self._last = time.monotonic()

    def _save(self, runs: Advancing, begun: Sequence[Begun]) -> None:
        problem = ""
        try:
            self.store.write(self.path, encoding.to_bytes(self._tree(runs, begun)))
        except StoreError as error:
            problem = str(error).replace(str(self.path), str(self._shown_path))
        except SolverError:
            raise  # the agent itself says that its numbers are of no use
        except Exception as error:
            # A third party's agent may hold anything; its run need not fail for that.
            problem = said(error) if isinstance(error, CheckpointError) else described(error)
            self._hopeless = True
        if problem and not self.problem:
            warn(f"{self.work.shown} goes on without being saved: {problem}")
        self.problem = problem

    def _tree(self, runs: Advancing, begun: Sequence[Begun]) -> StateDict:
        return {
            "format": FORMAT,
            "work": self.work.to_json(),
            "versions": provenance.versions(self.used),
            "run": runs.state_dict(),
            "rows": [[list(attrs.astuple(row)) for row in each.rows] for each in begun],
        }


def remove_done(store: Store) -> None:
    """Remove the checkpoints of work whose results are there: their removal was cut short."""
    for path in store.checkpoints.glob("*.npz"):
        if any(_done(store, ids) for ids in _tasks_in(path)):
            files.remove(path)


def _tasks_in(path: Place) -> Iterator[list[str]]:
    """Which tasks a checkpoint may be of: the one of its name, or those that it lists."""
    yield [path.stem]
    try:
        work = TaskBatch.from_json(encoding.from_bytes(files.read_regular(path))["work"])
    except Exception:  # whatever it is, it is no checkpoint of work that is done
        return
    yield [task.task_id for task in work.tasks]


def _done(store: Store, task_ids: Sequence[str]) -> bool:
    return all(files.is_regular(store.path(task_id)) for task_id in task_ids)

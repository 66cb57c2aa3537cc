"""A task: one run as data, from which a worker can rebuild everything."""

from __future__ import annotations

import functools
import hashlib
import json

import attrs

from mfbpi_core.data.plain import JsonObject


@attrs.frozen(kw_only=True)
class PluginRef:
    """A plugin by its name and its full parameters.

    Attributes:
        name: ``name``, or ``distribution:name`` where the name alone is ambiguous.
        config: every parameter with its value, defaults included.
        label: how it is called in the results; the name if empty.
    """

    name: str
    config: JsonObject = attrs.field(factory=dict)
    label: str = ""

    @property
    def shown(self) -> str:
        """The label, or the name where there is none."""
        return self.label or self.name


@attrs.frozen(kw_only=True)
class StopRef:
    """A stopping rule, and what is asked of it.

    Attributes:
        rule: the rule.
        delta: accepted risk.
        epsilon: accepted loss.
        scope: states that matter: "all", "visited" or "initial".
    """

    rule: PluginRef
    delta: float
    epsilon: float
    scope: str


@attrs.frozen(kw_only=True)
class Task:
    """One agent on one environment with one seed.

    Attributes:
        agent: the agent.
        environment: the environment.
        metrics: what is measured.
        seed: master seed of the run.
        horizon: number of steps; the last evaluation is there.
        episodes: stop after so many episodes, if sooner; None for no such limit.
        eval_every: steps between evaluations.
        discount: gamma.
        arrays: whether the metrics' arrays are kept.
        stop: the rule that may stop the run before its horizon; None for none.
    """

    agent: PluginRef
    environment: PluginRef
    metrics: tuple[PluginRef, ...]
    seed: int
    horizon: int
    episodes: int | None = None
    eval_every: int
    discount: float
    arrays: bool = False
    stop: StopRef | None = None

    def as_dict(self) -> JsonObject:
        """Its fields; one that came later and is not set is left out, so that nothing changes."""
        fields = attrs.asdict(self)
        return {k: v for k, v in fields.items() if not (k == "stop" and v is None)}

    @functools.cached_property
    def _canonical(self) -> str:
        """Made once: everything that is written of a task asks for it, or for its identifier."""
        return json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"))

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no spaces; equal tasks give equal text."""
        return self._canonical

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Rebuild a task from :meth:`to_json`."""
        data = json.loads(text)
        data["agent"] = PluginRef(**data["agent"])
        data["environment"] = PluginRef(**data["environment"])
        data["metrics"] = tuple(PluginRef(**metric) for metric in data["metrics"])
        if data.get("stop") is not None:
            data["stop"] = StopRef(**{**data["stop"], "rule": PluginRef(**data["stop"]["rule"])})
        return cls(**data)

    @functools.cached_property
    def task_id(self) -> str:
        """The identifier of the canonical JSON."""
        return identifier(self.to_json())

    @property
    def label(self) -> str:
        """What people call it."""
        return f"{self.agent.shown} on {self.environment.shown}, seed {self.seed}"

    @property
    def n_tasks(self) -> int:
        """One, as work for an executor."""
        return 1


def identifier(text: str) -> str:
    """16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]

"""From transitions to batches: what is stored, and how a batch of every replica is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from mfbpi_core import Problem, Transition
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.replay import Column
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.networks.ensemble import Inputs, table_rows
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.networks.rows import Rows

Arrays = dict[str, Array]

#: Actions are numbered by int16 in the replay buffer.
MOST_ACTIONS = 2**15

#: Rewards are float32 there.
LARGEST = float(np.finfo(np.float32).max)


@attrs.frozen(kw_only=True, eq=False)
class Batch:
    """A batch of n transitions for each of R replicas, on the device.

    Attributes:
        both: the observations and, after them, the next observations: 2 n inputs.
        now: the observations alone.
        priors: float32 [G, A, 2 n], values of each prior at ``both``; [G, A, n], at ``now``, where
            those at s' are not needed.
        actions: int64 [R, 1, n], the chosen actions.
        rewards: float32 [R, 1, n].
        discounts: float32 [R, 1, n]: gamma, or 0 after termination; truncation does not matter.
        mask: float32 [R, B, n], which members learn from what; None for all.
    """

    both: Inputs
    now: Inputs
    priors: Mapping[str, torch.Tensor]
    actions: torch.Tensor
    rewards: torch.Tensor
    discounts: torch.Tensor
    mask: torch.Tensor | None


def _suffixes(prior: Prior) -> tuple[str, ...]:
    """Columns in which outputs of a prior are stored, after its name."""
    return ("now", "next") if prior.at_next else ("now",)


@attrs.frozen(eq=False)
class Memory:
    """Stores and draws the transitions of all replicas.

    Attributes:
        problem: sizes and discount.
        config: parameters.
        encoder: of observations.
        priors: whose outputs are stored with features; for cells they are looked up.
        device: where batches go.
        stores_masks: whether masks are drawn once and stored, or drawn for each batch.
    """

    #: Methods that compiled functions do themselves; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = ("sample", "_cells", "_rows", "_mask", "_tensor")

    problem: Problem
    config: DeepConfig
    encoder: Encoder
    priors: Mapping[str, Prior]
    device: str
    stores_masks: bool
    _known: dict[str, Any] = attrs.field(factory=dict, init=False)

    def columns(self) -> dict[str, Column]:
        """The columns of a replay buffer; a cell takes four bytes, whatever the size."""
        encoded: Column = ((), np.int32)
        if not self.encoder.one_hot:
            encoded = ((self.encoder.inputs,), np.float32)
        columns: dict[str, Column] = {
            "now": encoded,
            "next": encoded,
            "action": ((), np.int16),
            "reward": ((), np.float32),
            "terminated": ((), np.bool_),
        }
        if self.stores_masks:
            columns["mask"] = ((self.config.ensemble_size,), np.bool_)
        if not self.encoder.one_hot:
            for name, prior in self.priors.items():
                for suffix in _suffixes(prior):
                    columns[f"{name} {suffix}"] = ((prior.sizes.across,), np.float32)
        return columns

    def largest(self) -> dict[str, int]:
        """The last place in a table that a column may name; zeros are the cell behind all."""
        actions = {"action": self.problem.n_actions - 1}
        if not self.encoder.one_hot:
            return actions
        return {**actions, "now": self.encoder.inputs, "next": self.encoder.inputs}

    def priors_at(self, encoded: Array) -> Arrays:
        """Outputs [R, B * A] of the priors; remembered for features: s' is s of the next step."""
        if self.encoder.one_hot:
            return {name: prior.at(encoded) for name, prior in self.priors.items()}
        # Bytes are compared some twenty times as fast as arrays; priors may have been replaced.
        key = (encoded.tobytes(), *self.priors.values())
        if self._known.get("key") != key:
            self._known["key"] = key
            self._known["values"] = {name: p.at(encoded) for name, p in self.priors.items()}
        values: Arrays = self._known["values"]
        return values

    def forget(self) -> None:
        """Remember no priors' outputs: their weights are others now."""
        self._known.clear()

    def store(self, lanes: Sequence[Lane], transitions: Sequence[Transition]) -> None:
        """Append the transition that each replica has made."""
        for t in transitions:
            self._check(t)
        columns: Arrays = {}
        for suffix, attribute in (("now", "observation"), ("next", "next_observation")):
            encoded = self.encoder.encode([getattr(t, attribute) for t in transitions])
            columns[suffix] = encoded
            if not self.encoder.one_hot:
                for name, values in self.priors_at(encoded).items():
                    if suffix in _suffixes(self.priors[name]):
                        columns[f"{name} {suffix}"] = values
        for r, (lane, t) in enumerate(zip(lanes, transitions, strict=True)):
            own = {name: column[r] for name, column in columns.items()}
            if self.stores_masks:
                shape = (self.config.ensemble_size,)
                own["mask"] = lane.mask(shape, self.config.mask_probability)
            lane.replay.add(action=t.action, reward=t.reward, terminated=t.terminated, **own)

    def _check(self, t: Transition) -> None:
        """Compiled functions would follow any other number out of their arrays."""
        if not (0 <= t.action < self.problem.n_actions and int(t.action) == t.action):
            raise UsageError(
                f"a transition has action {t.action!r}; expected one of 0 to "
                f"{self.problem.n_actions - 1}"
            )
        if not abs(t.reward) <= LARGEST:
            raise UsageError(
                f"a transition has reward {t.reward!r}; expected a float32, {LARGEST:.2g} at most"
            )

    def sample(self, lanes: Sequence[Lane]) -> Batch:
        """A batch from each replay buffer."""
        drawn = [lane.replay.sample(self.config.batch_size) for lane in lanes]
        columns = {name: np.stack([d[name] for d in drawn]) for name in drawn[0]}
        both, now, priors = self._cells(columns) if self.encoder.one_hot else self._rows(columns)
        gamma = np.float32(self.problem.discount)
        discounts = np.where(columns["terminated"], np.float32(0.0), gamma)
        return Batch(
            both=both,
            now=now,
            priors=priors,
            actions=self._tensor(columns["action"][:, None].astype(np.int64)),
            rewards=self._tensor(columns["reward"][:, None]),
            discounts=self._tensor(discounts[:, None]),
            mask=self._mask(lanes, columns),
        )

    def _cells(self, columns: Arrays) -> tuple[Inputs, Inputs, dict[str, torch.Tensor]]:
        """Inputs for one-hot observations, and the priors' values from their tables."""
        cells = np.concatenate([columns["now"], columns["next"]], axis=1, dtype=np.int64)
        rows = table_rows(cells, self.encoder.inputs)  # [R, 2 n]
        n = self.config.batch_size
        both = Rows.of(rows, n, self.device)
        priors = {
            name: prior.of_rows(rows if prior.at_next else rows[:, :n])
            for name, prior in self.priors.items()
        }
        return Inputs(rows=both), Inputs(rows=both.learning(n)), priors

    def _rows(self, columns: Arrays) -> tuple[Inputs, Inputs, dict[str, torch.Tensor]]:
        """Inputs for features, and the priors' values as stored."""

        def joined(*names: str) -> torch.Tensor:
            parts = [columns[name] for name in names]
            return self._tensor(np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0])

        features = joined("now", "next")
        priors = {
            name: prior.by_network(joined(*(f"{name} {suffix}" for suffix in _suffixes(prior))))
            for name, prior in self.priors.items()
        }
        now = features[:, : self.config.batch_size]
        return Inputs(features=features), Inputs(features=now), priors

    def _mask(self, lanes: Sequence[Lane], columns: Arrays) -> torch.Tensor | None:
        if self.stores_masks:
            return self._tensor(columns["mask"].transpose(0, 2, 1).astype(np.float32))
        probability = self.config.mask_probability
        if probability == 1.0:
            return None
        shape = (self.config.ensemble_size, self.config.batch_size)
        masks = np.array([lane.mask(shape, probability) for lane in lanes], dtype=np.bool_)
        return self._tensor(masks.astype(np.float32))

    def _tensor(self, values: Array) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

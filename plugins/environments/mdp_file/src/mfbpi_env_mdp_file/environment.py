"""A Markov decision process in a file; see :mod:`mfbpi_lib_mdp_files` for the formats."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np

from mfbpi_core import Environment, RunProtocol, TabularMDP, parameter
from mfbpi_core.errors import ConfigError
from mfbpi_lib_mdp_files import formats
from mfbpi_lib_mdp_files.named import Named
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: How long runs are: steps, and between evaluations.
HORIZON, EVAL_EVERY = 50_000, 1_000

#: What an environment without a file is: two states, of which one pays.
_STAY, _GO = [1.0, 0.0], [0.0, 1.0]


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of a model in a file."""

    file: str = parameter("", "the file, whose ending says its format; empty: two states")
    max_episode_steps: int | None = parameter(
        None, "steps after which an episode is cut; none: no limit", ge=1
    )
    reward_range: tuple[float, ...] | None = parameter(
        None, "lowest and highest reward; none: the file's, [0, 1], or those found"
    )


class FileEnvironment(TabularEnvironment):
    """A tabular environment with the model of a file.

    Attributes:
        state_names: names of the states.
        action_names: names of the actions.
    """

    def __init__(self, config: Config) -> None:
        model = _model(config)
        self._file = config.file
        super().__init__(model.mdp, config.max_episode_steps)
        self.state_names, self.action_names = model.states, model.actions
        plain = RunProtocol(horizon=HORIZON, eval_every=EVAL_EVERY)
        self.protocol = (
            plain if model.discount is None else attrs.evolve(plain, discount=model.discount)
        )

    @property
    def made_of(self) -> tuple[Path, ...]:
        """The file."""
        return (Path(self._file),) if self._file else ()

    @property
    def provides(self) -> frozenset[str]:
        """What is provided: ``"episodes"`` too where there is a time limit."""
        limited = self.max_episode_steps is not None
        return super().provides | ({"episodes"} if limited else set())


def _model(config: Config) -> Named:
    limits = config.reward_range
    if limits is not None and (len(limits) != 2 or not limits[0] < limits[1]):
        raise ConfigError(
            f"parameter reward_range is {limits}; expected LOW,HIGH, of which the first is smaller"
        )
    if config.file == "":
        transitions = np.array([[_STAY, _GO], [_GO, _STAY]])
        return Named.numbered(TabularMDP.from_dense(transitions, [[0.0, 0.0], [1.0, 0.0]]))
    return formats.read(Path(config.file), None if limits is None else (limits[0], limits[1]))


def write(mdp: TabularMDP, where: Environment | None, discount: float, file: Path) -> None:
    """Write a model to a file whose ending says the format.

    Args:
        mdp: the model.
        where: the environment that it is of, whose names of states are kept; None for none.
        discount: gamma.
        file: where to.

    Raises:
        UsageError: when the format cannot hold it.
    """
    model = Named.numbered(mdp, discount)
    if where is not None and where.state_names is not None and where.action_names is not None:
        model = attrs.evolve(model, states=where.state_names, actions=where.action_names)
    formats.write(model, file)

"""An environment of Gymnasium that says all of itself in ``P``, as a tabular environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mfbpi_core import RunProtocol
from mfbpi_core.errors import ModelError
from mfbpi_env_gymnasium.options import Options
from mfbpi_env_gymnasium.overriding import overridden
from mfbpi_env_gymnasium.wrappers import changes_nothing, modules, time_limit
from mfbpi_lib_tabular.models import listed
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: How long runs are where nothing is published: steps, and between evaluations.
PROTOCOL = RunProtocol(horizon=50_000, eval_every=1_000)

#: Attributes of Gymnasium's toy texts that make ``step`` do more than ``P`` says.
_MORE_THAN_P = ("fickle_passenger",)

#: What the first state is drawn from.
_INITIAL = ("initial_state_distrib", "isd")


def is_tabular(raw: gymnasium.Env[object, object]) -> bool:
    """Whether ``P`` and the distribution of the first state are there and say all."""
    return not why_none(raw)


def why_none(raw: gymnasium.Env[object, object]) -> str:
    """Why it has no table that says all, for messages; nothing where it has one."""
    bare = raw.unwrapped
    discrete = spaces.Discrete
    if not isinstance(getattr(bare, "P", None), dict):
        return "it has no table P[s][a] of (probability, next state, reward, terminated)"
    if _initial_of(bare) is None:
        return (
            "it has a table P, but nothing says where episodes begin: give it the attribute "
            f"{_INITIAL[0]} (or {_INITIAL[1]}), the probabilities of the first state"
        )
    if not isinstance(raw.observation_space, discrete) or not isinstance(
        raw.action_space, discrete
    ):
        return "it has a table P, but its spaces are not both Discrete"
    if not changes_nothing(raw):
        return "it has a table P, but a wrapper changes what that says"
    more = [name for name in _MORE_THAN_P if getattr(bare, name, False)]
    return f"{more[0]} makes it do more than its table P says" if more else overridden(bare)


def _initial_of(bare: Any) -> Any:
    found = [getattr(bare, name) for name in _INITIAL if hasattr(bare, name)]
    return found[0] if found else None


class GymnasiumTable(TabularEnvironment):
    """A tabular environment with the model of ``P``; its states have Gymnasium's numbers.

    An offset of the numbers is removed. Gymnasium's environment is not stepped: the compiled
    simulator draws from the same distributions with random numbers of its own.

    Attributes:
        raw: Gymnasium's environment.

    Raises:
        ModelError: naming what is wrong in ``P``.
    """

    protocol = PROTOCOL

    def __init__(self, raw: gymnasium.Env[object, object], options: Options, name: str) -> None:
        try:
            table = listed.read(
                _entries(raw),
                np.asarray(_initial_of(raw.unwrapped), dtype=np.float64),
                keep_unreachable=options.unreachable == "keep",
                reward_range=options.scaled_range(),
                scale=options.reward_scale,
            )
        except ModelError as error:
            raise ModelError(f"P of {name}: {error}") from error
        super().__init__(table.mdp, time_limit(raw))
        self.raw, self._name = raw, name
        self.positions = _positions(raw.unwrapped, self.mdp.n_states)

    @property
    def made_of(self) -> tuple[str, ...]:
        """The modules of its id, class and wrappers; :class:`UsageError` for the session's."""
        return modules(self.raw, self._name)

    @property
    def provides(self) -> frozenset[str]:
        """What is provided: ``"episodes"`` too where there is a time limit."""
        limited = self.max_episode_steps is not None
        return super().provides | ({"episodes"} if limited else set())


def _positions(bare: Any, n_states: int) -> npt.NDArray[np.int64] | None:
    """Row and column of each state where Gymnasium's environment is a map; twins have none."""
    sizes = getattr(bare, "shape", None)
    if sizes is None and isinstance(getattr(bare, "desc", None), np.ndarray):
        sizes = bare.desc.shape
    if not isinstance(sizes, tuple) or len(sizes) != 2:
        return None
    count = int(np.prod(sizes))
    if count != int(bare.observation_space.n) or count > n_states:
        return None
    found = np.full((n_states, 2), -1, dtype=np.int64)
    found[:count] = np.stack(np.divmod(np.arange(count), sizes[1]), axis=1)
    return found


def _entries(raw: gymnasium.Env[Any, Any]) -> listed.Rows:
    """``P`` as lists, states and actions counted from 0.

    Raises:
        ModelError: naming the state and the action at fault.
    """
    observed, acted, table = raw.observation_space, raw.action_space, raw.unwrapped.P  # type: ignore[attr-defined]
    assert isinstance(observed, spaces.Discrete)
    assert isinstance(acted, spaces.Discrete)
    start, first = int(observed.start), int(acted.start)
    rows: listed.Rows = []
    for s in range(start, start + int(observed.n)):
        row: list[list[listed.Entry]] = []
        for a in range(first, first + int(acted.n)):
            try:
                here = [_entry(entry, start, int(observed.n)) for entry in table[s][a]]
            except (KeyError, IndexError):
                raise ModelError(f"it lacks [{s}][{a}]") from None
            except (TypeError, ValueError) as error:
                raise ModelError(f"[{s}][{a}]: {error}") from error
            row.append(here)
        rows.append(row)
    return rows


def _entry(entry: Any, start: int, n_states: int) -> listed.Entry:
    """One entry, converted; raises :class:`ValueError`."""
    if len(entry) != 4:
        raise ValueError(f"{entry!r}; expected (probability, next state, reward, terminated)")
    probability, following, reward, terminated = entry
    state = int(following) - start
    if state != following - start or not 0 <= state < n_states:
        raise ValueError(f"next state {following!r}; expected {start} to {start + n_states - 1}")
    if not np.isfinite(reward):
        raise ValueError(f"reward {reward!r}; expected a finite number")
    return float(probability), state, float(reward), bool(terminated)

"""Any environment of Gymnasium with discrete actions: ``gymnasium:FrozenLake-v1``.

Those that carry their transition probabilities in ``P``, as the toy texts do, become tabular
models (:mod:`.table`): exact, and simulated by compiled code. All others are stepped
(:mod:`.stepped`), their spaces flattened as Gymnasium flattens them (:mod:`.spaces`).

Source: Towers et al. 2024, "Gymnasium: a standard interface for reinforcement learning
environments".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from mfbpi_core import Environment, others, parameter
from mfbpi_core.errors import ConfigError, RequirementError
from mfbpi_env_gymnasium.options import KINDS, Options, checked

if TYPE_CHECKING:
    import gymnasium


@attrs.frozen(kw_only=True)
class Config:
    """Parameters; those that are not listed are passed on to ``gymnasium.make``."""

    environment_id: str = parameter("FrozenLake-v1", "id, or MODULE:ID to import it first")
    max_episode_steps: int | None = parameter(
        None, "steps after which an episode is cut; none: as registered", ge=1
    )
    observations: str = parameter(
        "auto", "integers or arrays as they come; one_hot; or cells of a grid", choices=KINDS
    )
    cells: int = parameter(10, "cells along each number of a Box, for observations=cells", ge=1)
    low: tuple[float, ...] | None = parameter(
        None, "lower ends of the grid, one for each number of the Boxes; none: the space's"
    )
    high: tuple[float, ...] | None = parameter(None, "upper ends of the grid; see low")
    reward_range: tuple[float, ...] | None = parameter(
        None, "lowest and highest reward of the environment itself; none: of P, or unknown"
    )
    reward_scale: float = parameter(1.0, "what rewards are multiplied by", gt=0)
    unreachable: str = parameter(
        "close",
        "states of P that no walk from the start reaches: closed, or kept as P has them",
        choices=("close", "keep"),
    )
    make: dict[str, Any] = others("arguments of gymnasium.make, such as is_slippery=false")

    @property
    def imports(self) -> str:
        """The module that making it imports, because its id or an argument says so; or nothing."""
        module, colon, _ = self.environment_id.rpartition(":")
        return module if colon else ""


def build(config: Config) -> Environment:
    """Build the environment that a configuration names.

    Raises:
        UsageError: when Gymnasium cannot make it, or its spaces are none that agents here can use.
    """
    from mfbpi_env_gymnasium import making

    options = _options(config)
    raw = making.make(config.environment_id, config.max_episode_steps, config.make)
    return adapted(raw, options, config.environment_id)


def adopt(given: Any, values: dict[str, Any]) -> Environment | None:
    """Make an environment of an object of Gymnasium's; None for an object of another kind.

    Args:
        given: any object.
        values: parameters, without those of ``gymnasium.make``.

    Raises:
        ConfigError: for a parameter that an object cannot have any more.
    """
    if not _is_of_gymnasium(given):
        return None
    made = {"environment_id", "max_episode_steps", "make"}
    known = [field.name for field in attrs.fields(Config) if field.name not in made]
    for name in values:
        if name not in known:
            raise ConfigError(
                f"{name} cannot be set for an environment that is made already; expected one of "
                f"{', '.join(known)}"
            )
    options = _options(Config(**values))
    return adapted(
        given, options, getattr(given.spec, "id", None) or type(given.unwrapped).__name__
    )


def adapted(raw: gymnasium.Env[object, object], options: Options, name: str) -> Environment:
    """A tabular environment where ``P`` says all, else one that is stepped.

    Args:
        raw: Gymnasium's environment.
        options: how it is to be seen.
        name: what messages call it.
    """
    from mfbpi_env_gymnasium import stepped, table

    if options.observations == "auto" and table.is_tabular(raw):
        return table.GymnasiumTable(raw, options, name)
    return stepped.SteppedEnvironment(raw, options, name)


def _options(config: Config) -> Options:
    named = {field.name: getattr(config, field.name) for field in attrs.fields(Options)}
    return checked(Options(**named))


def _is_of_gymnasium(given: object) -> bool:
    """Whether its class comes from Gymnasium's ``Env``; found without importing Gymnasium."""
    classes = type(given).__mro__
    if any(c.__name__ == "VectorEnv" and c.__module__.startswith("gymnasium.") for c in classes):
        raise RequirementError(
            "a vector environment of Gymnasium holds several at once; expected a single one"
        )
    return any(c.__name__ == "Env" and c.__module__.startswith("gymnasium.") for c in classes)

"""Any problem of DeepMind's bsuite by its id: ``bsuite:deep_sea/0``, ``bsuite:catch_noise/3``, ...

Observations, actions and rewards are bsuite's, observations as float32 in bsuite's shape, which is
[1, d] for features. Every problem of bsuite ends its episodes by termination, time limits included;
a problem that truncated would be shown to do so.

Source: Osband et al. 2020, "Behaviour Suite for Reinforcement Learning".
"""

from __future__ import annotations

import difflib
import itertools

import attrs

from mfbpi_core import RunProtocol, parameter
from mfbpi_core.errors import ConfigError, UsageError
from mfbpi_env_bsuite.episodes import longest_episode
from mfbpi_lib_bsuite.environment import BsuiteEnvironment
from mfbpi_lib_bsuite.raw import Raw

#: Evaluations of a run of bsuite's own length, about.
EVALUATIONS = 100


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of a problem of bsuite."""

    bsuite_id: str = parameter("deep_sea/0", "experiment and number of its setting")


class Bsuite(BsuiteEnvironment):
    """A problem of bsuite; see the module.

    bsuite declares no range of rewards, so ``reward_range`` is unbounded. The protocol is bsuite's
    number of episodes, with discount 0.99.
    """

    reward_range = (float("-inf"), float("inf"))

    def __init__(self, config: Config) -> None:
        super().__init__(_load(config.bsuite_id))
        self.max_episode_steps = longest_episode(self.raw)
        episodes = int(self.raw.bsuite_num_episodes)
        steps = episodes * self.max_episode_steps
        self.protocol = RunProtocol(episodes=episodes, eval_every=max(1, steps // EVALUATIONS))


def _load(bsuite_id: str) -> Raw:
    """Build bsuite's environment.

    Raises:
        ConfigError: for an unknown id, with close matches.
        UsageError: when bsuite cannot get the data that the problem needs.
    """
    # bsuite takes half a second to import: only who builds an environment pays for it.
    import bsuite
    from bsuite import sweep

    if bsuite_id not in sweep.SETTINGS:
        raise ConfigError(_unknown(bsuite_id, sweep.SWEEP))
    experiment, _, _ = bsuite_id.rpartition(sweep.SEPARATOR)
    try:
        # Not load_from_id, which prints.
        return bsuite.load(experiment, sweep.SETTINGS[bsuite_id])
    except OSError as error:
        raise UsageError(
            f"bsuite cannot load {bsuite_id}: {error}; the mnist problems download their data set "
            "when first used, so run once where there is a network"
        ) from error


def _unknown(bsuite_id: str, known: tuple[str, ...]) -> str:
    """The message for an id that does not exist."""
    experiments = {
        name: len(list(ids))
        for name, ids in itertools.groupby(known, key=lambda item: item.rpartition("/")[0])
    }
    start = f"bsuite_id is {bsuite_id!r}; expected EXPERIMENT/NUMBER, such as 'deep_sea/0'"
    given = bsuite_id.partition("/")[0]
    if given in experiments:
        return f"{start}; {given} has the numbers 0 to {experiments[given] - 1}"
    close = difflib.get_close_matches(given, experiments, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return f"{start}{hint}; experiments are: {', '.join(experiments)}"

"""What agents see, as networks take it: a cell of a table, or a vector of features."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.one_hot import marked_cells
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import ConfigError, RequirementError
from mfbpi_lib_torch.kernels.cells import cell_of


@attrs.frozen
class Encoder:
    """Encodes observations of one problem.

    Attributes:
        inputs: features, or cells of a one-hot observation.
        one_hot: whether an observation is encoded as its cell; an observation of zeros, such as
            DeepSea shows after its last step, is the cell ``inputs``.
    """

    inputs: int
    one_hot: bool

    @classmethod
    def of(cls, problem: Problem, one_hot: str) -> Encoder:
        """The encoder that the parameter ``one_hot`` (auto, yes or no) asks for.

        Raises:
            RequirementError: when observations are integer states.
        """
        if problem.n_states is not None:
            raise RequirementError(
                f"the environment {problem.environment} shows integer states; networks need "
                "arrays of features: use a tabular agent, or an environment such as "
                "slipping_deep_sea or cartpole_swingup"
            )
        chosen = problem.observation_kind == "one_hot" if one_hot == "auto" else one_hot == "yes"
        return cls(math.prod(problem.observation_shape), one_hot=chosen)

    def encode(self, observations: Sequence[Observation]) -> Array:
        """Encode one observation of each replica.

        Returns:
            int64 [R] cells, or float32 [R, inputs].

        Raises:
            ConfigError: when an observation taken for one-hot is not, or its size is another.
        """
        if not self.one_hot:
            encoded = np.array(observations, dtype=np.float32).reshape(len(observations), -1)
            self._check_size(encoded.shape[1])
            return encoded
        shown = [np.ravel(o) for o in observations]
        for each in shown:
            self._check_size(each.size)
        if len(shown) == 1 and (cell := cell_of(shown[0])) >= 0:
            return np.array([cell], dtype=np.int64)
        return self._cells(np.array(shown))

    def _check_size(self, found: int) -> None:
        """Compiled functions would read what lies behind a smaller one."""
        if found != self.inputs:
            raise ConfigError(
                f"an observation has {found} numbers; expected {self.inputs}, as the environment "
                "declares"
            )

    def _cells(self, shown: Array) -> npt.NDArray[np.int64]:
        """The cells of observations [R, inputs], all of them one-hot."""
        cells = marked_cells(shown)
        marked = np.flatnonzero(cells < self.inputs)
        ones = shown[marked, cells[marked]] == 1.0
        if not ones.all() or np.count_nonzero(shown) > len(marked):
            wrong = max(shown, key=lambda row: (np.count_nonzero(row), row.max() != 1.0))
            raise ConfigError(
                f"an observation has {np.count_nonzero(wrong)} entries other than 0 and largest "
                f"entry {wrong.max()}; expected a single 1: use one_hot=no"
            )
        return cells

"""Where numbers live, and how many threads work on them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import ConfigError
from mfbpi_lib_torch.late import torch

CPU = "cpu"

#: Numbers on a device: an array on the CPU, where torch may never be needed, a tensor elsewhere.
Numbers: TypeAlias = "npt.NDArray[np.float32] | torch.Tensor"


def resolve(name: str) -> str:
    """The device of that name, such as ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.

    Raises:
        ConfigError: when the name is not a device, or this machine has no such device.
    """
    if name == CPU:
        return CPU
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"parameter device is {name!r}; expected cpu, cuda or cuda:N") from error
    if device.type == CPU:
        return CPU
    count = torch.cuda.device_count() if device.type == "cuda" else 0
    if (device.index or 0) >= count:
        raise ConfigError(
            f"parameter device is {name!r}, but this machine and this torch offer "
            f"{count} such devices; use device=cpu"
        )
    return name


def placed(array: npt.NDArray[np.float32], device: str) -> Numbers:
    """The array itself on the CPU, a copy of it elsewhere."""
    if device == CPU:
        return array
    with torch.inference_mode(False):  # what is made in the caller's could never learn
        return torch.from_numpy(array).to(device)


def as_array(numbers: Numbers) -> npt.NDArray[np.float32]:
    """The same as an array, which numbers on the CPU are."""
    assert isinstance(numbers, np.ndarray)
    return numbers


def as_tensor(numbers: Numbers) -> torch.Tensor:
    """The same as a tensor, in the same memory."""
    if not isinstance(numbers, np.ndarray):
        return numbers
    with torch.inference_mode(False):
        return torch.from_numpy(numbers)


def use_one_thread() -> None:
    """Let torch compute in one thread: workers are processes, and the tensors are small."""
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)

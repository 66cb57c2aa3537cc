"""Where tensors live, and how many threads work on them."""

from __future__ import annotations

import torch

from mfbpi_core.errors import ConfigError


def resolve(name: str) -> torch.device:
    """The device of that name, such as ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.

    Raises:
        ConfigError: when the name is not a device, or this machine has no such device.
    """
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"parameter device is {name!r}; expected cpu, cuda or cuda:N") from error
    if device.type == "cpu":
        return device
    count = torch.cuda.device_count() if device.type == "cuda" else 0
    if (device.index or 0) >= count:
        raise ConfigError(
            f"parameter device is {name!r}, but this machine and this torch offer "
            f"{count} such devices; use device=cpu"
        )
    return device


def use_one_thread() -> None:
    """Let torch compute in one thread: workers are processes, and the tensors are small."""
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)

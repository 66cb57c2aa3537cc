"""Derivatives of losses by the predictions, written out."""

from __future__ import annotations

from mfbpi_lib_torch.late import torch


def regression(
    prediction: torch.Tensor,
    target: torch.Tensor,
    mask: torch.Tensor | None,
    loss: str,
    divisor: float = 1.0,
) -> torch.Tensor:
    """Derivative of the mean loss over members and batch; masked entries count as zeros.

    With d = prediction - target: ``huber`` is d^2 / 2 for |d| <= 1 and |d| - 1/2 beyond, whose
    derivative is d clipped to [-1, 1]; ``squared`` is d^2.

    Args:
        prediction: float32 [R, B, n].
        target: float32 [R, B, n].
        mask: float32 [R, B, n] of zeros and ones; None if every entry counts.
        loss: ``"huber"`` or ``"squared"``.
        divisor: of the mean loss.

    Returns:
        float32 [R, B, n].
    """
    per_replica = prediction.shape[1] * prediction.shape[2]
    d = prediction - target
    d = d.clamp_(-1.0, 1.0) if loss == "huber" else d.mul_(2.0)
    d.div_(per_replica * divisor)
    return d if mask is None else d.mul_(mask)


def quantile_huber(
    prediction: torch.Tensor, target: torch.Tensor, levels: torch.Tensor
) -> torch.Tensor:
    """Derivative of the quantile Huber loss by the predicted quantiles.

    With u_ij = target_j - prediction_i and L Huber's loss, the loss is the sum over i and mean
    over j and the batch of |level_i - 1{u_ij < 0}| L(u_ij); its derivative by prediction_i is

        -mean_j (level_i clip(u_ij, 0, 1) + (1 - level_i) clip(u_ij, -1, 0)).

    Source: Dabney et al. 2018, "Distributional reinforcement learning with quantile regression".

    Args:
        prediction: float32 [R, I, n].
        target: float32 [R, J, n].
        levels: float32 [I], in (0, 1).

    Returns:
        float32 [R, I, n].
    """
    u = target[:, :, None] - prediction[:, None]  # [R, J, I, n]
    both = u.clamp_(-1.0, 1.0).sum(1)
    above = u.clamp_(min=0.0).sum(1)
    level = levels[:, None]
    weighted = level * above + (1.0 - level) * (both - above)
    return weighted.div_(-float(target.shape[1] * target.shape[2]))

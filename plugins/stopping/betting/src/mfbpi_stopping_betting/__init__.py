"""Stops once bets on each advantage identify the best policy, with a guarantee, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import StoppingRuleSpec, hookimpl


@hookimpl
def mfbpi_stopping_rules() -> Iterator[StoppingRuleSpec]:
    """Yield the rule."""
    yield StoppingRuleSpec(
        name="betting",
        factory="mfbpi_stopping_betting.rule:Betting",
        summary="Stops once bets on each advantage leave no better policy: earlier than kl_box.",
        guarantee="eps-delta",
    )

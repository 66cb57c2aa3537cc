"""Stops once no model that the counts allow has a better policy, with a guarantee, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import StoppingRuleSpec, hookimpl


@hookimpl
def mfbpi_stopping_rules() -> Iterator[StoppingRuleSpec]:
    """Yield the rule."""
    yield StoppingRuleSpec(
        name="kl_box",
        factory="mfbpi_stopping_kl_box.rule:KLBox",
        summary="Stops once no model that the counts allow, at any time, has a better policy.",
        guarantee="eps-delta",
    )

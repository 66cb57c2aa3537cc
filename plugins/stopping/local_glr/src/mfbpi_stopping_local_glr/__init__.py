"""Stops at a local likelihood ratio above log(1 / delta), without any guarantee, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import StoppingRuleSpec, hookimpl


@hookimpl
def mfbpi_stopping_rules() -> Iterator[StoppingRuleSpec]:
    """Yield the rule."""
    yield StoppingRuleSpec(
        name="local_glr",
        factory="mfbpi_stopping_local_glr.rule:LocalGLR",
        summary="Stops at a local likelihood ratio above log(1 / delta): no guarantee, for audits.",
        guarantee="none",
    )

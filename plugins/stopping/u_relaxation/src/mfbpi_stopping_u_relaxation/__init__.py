"""Stops once a bound on the characteristic time says so, with published thresholds, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import StoppingRuleSpec, hookimpl


@hookimpl
def mfbpi_stopping_rules() -> Iterator[StoppingRuleSpec]:
    """Yield the rule."""
    yield StoppingRuleSpec(
        name="u_relaxation",
        factory="mfbpi_stopping_u_relaxation.rule:URelaxation",
        config="mfbpi_stopping_u_relaxation.rule:Config",
        summary="Stops once a bound at the counts exceeds a threshold: the rules of the papers.",
        guarantee="delta-exact",
        reference="Al Marjani & Proutiere 2021; Al Marjani, Garivier & Proutiere 2021",
    )

"""The checks of the conformance kit, by what they check."""

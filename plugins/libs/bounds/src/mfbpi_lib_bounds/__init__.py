"""Exact, certified minimisation of bounds on the characteristic time, for mfbpi plugins."""

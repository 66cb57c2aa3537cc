"""Bounds on the characteristic time as convex programmes, for mfbpi plugins."""

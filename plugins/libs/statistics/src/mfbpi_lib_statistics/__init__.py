"""Means over seeds with their intervals, for the runner and for figures of mfbpi."""

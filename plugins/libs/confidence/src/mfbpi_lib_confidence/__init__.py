"""Confidence sets that hold at all times at once, and what they certify."""

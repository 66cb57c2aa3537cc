"""Transitions that somebody else collected: read, doubted, judged, and what is missing in them."""

"""Plugins: what they declare, how they are found, checked and built."""

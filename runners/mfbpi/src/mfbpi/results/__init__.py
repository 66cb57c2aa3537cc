"""Directories of results: written whole, read with care, summarised and drawn."""

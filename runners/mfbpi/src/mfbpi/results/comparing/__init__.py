"""Agents compared over seeds: by what their runs gave in the end, or when they reached a level."""

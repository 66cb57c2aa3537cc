"""Commands that run grids."""

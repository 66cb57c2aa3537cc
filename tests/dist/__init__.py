"""Every package as others install it: built, and tried in a clean environment."""

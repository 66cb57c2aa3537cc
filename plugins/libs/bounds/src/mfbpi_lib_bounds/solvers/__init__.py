"""Minimising a bound over the allocations that can be navigated."""

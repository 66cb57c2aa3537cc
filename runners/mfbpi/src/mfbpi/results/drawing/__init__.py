"""From results to figures."""

"""Arithmetic beyond one float64, and sparse linear algebra."""

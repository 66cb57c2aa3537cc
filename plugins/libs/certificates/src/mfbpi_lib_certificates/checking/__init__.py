"""The checks, written from the formulas, with numpy alone."""

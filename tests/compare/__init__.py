"""This checkout against another: are the rows the same, and is it as fast? See ``make compare``."""

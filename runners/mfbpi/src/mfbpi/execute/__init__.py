"""Running a plan: the driver, its workers, and what saves long runs."""

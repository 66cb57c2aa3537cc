"""Data without behaviour: models, problems, transitions, tasks, random streams."""

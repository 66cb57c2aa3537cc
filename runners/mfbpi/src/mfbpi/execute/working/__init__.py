"""In a worker process: one task, rebuilt from its JSON, run and told of."""

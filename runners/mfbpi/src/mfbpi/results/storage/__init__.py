"""What lies in a directory of results, and how it is written and read."""

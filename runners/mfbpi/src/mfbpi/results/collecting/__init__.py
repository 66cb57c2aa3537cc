"""All the rows of directories in one table, as a stream: memory does not grow with the rows."""

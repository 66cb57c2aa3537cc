"""Exit codes of the commands; success is 0."""

#: Some task or check failed.
FAILED = 1

#: The command cannot be carried out as asked.
USAGE = 2

#: Ctrl-C or SIGTERM, as shells count it.
INTERRUPTED = 130

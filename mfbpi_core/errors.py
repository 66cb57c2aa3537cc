"""Every exception that mfbpi raises on purpose, and every warning.

The message of each is written for the person at the terminal: what was given, what was
expected, what to do. The runner prints it without a traceback.
"""


class MfbpiError(Exception):
    """Base of all errors raised by mfbpi and its plugins."""


class UsageError(MfbpiError):
    """What the user asked for cannot be done as asked (exit code 2)."""


class ConfigError(UsageError):
    """A parameter is unknown, of the wrong type or out of its range."""


class NotFoundError(UsageError):
    """No installed plugin has the name asked for."""


class ConflictError(UsageError):
    """Several distributions claim the name asked for."""


class RequirementError(UsageError):
    """An agent or metric needs something that the environment or agent does not provide."""


class ModelError(UsageError, ValueError):
    """The data given do not describe a Markov decision process."""


class MfbpiWarning(UserWarning):
    """Base of all warnings: something that whoever asked should look at."""


class MfbpiNote(MfbpiWarning):
    """Something worth knowing, which needs no action."""


class ModelWarning(MfbpiWarning):
    """The data given describe a Markov decision process, but perhaps not the one that was meant."""


class ActionError(MfbpiError, ValueError):
    """An action outside the range of the environment."""


class PluginError(MfbpiError):
    """A plugin breaks its contract; the message names its distribution."""


class OwnPluginError(PluginError, UsageError):
    """A class of whoever asked, without packaging, breaks its contract (exit code 2)."""


class ExecutorError(MfbpiError):
    """Tasks cannot be run where they were sent; none of them is to blame."""


class SolverError(MfbpiError):
    """A numerical method could not return a result that passes its own checks."""


class CheckpointError(MfbpiError):
    """A saved state does not belong to the object it is loaded into."""

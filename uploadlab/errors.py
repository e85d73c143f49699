"""The exceptions whose text a user reads."""


class LabError(Exception):
    """What was asked for could not be done, or what was read cannot be used, named with file and line: one sentence."""


class Interrupted(Exception):
    """The user or the system asked the lab to stop (SIGINT, SIGTERM, SIGHUP)."""

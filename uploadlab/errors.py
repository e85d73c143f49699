"""The exceptions whose text a user reads."""


class LabError(Exception):
    """Something the user asked for could not be done; the message is one sentence that says what and why."""


class InputError(Exception):
    """Something that was read cannot be used; its text is one sentence for the user, with file and line."""


class Interrupted(Exception):
    """The user or the system asked the lab to stop (SIGINT, SIGTERM, SIGHUP)."""

"""What goes wrong with sizes, models and payload files."""


class WorkloadError(Exception):
    """Something the user can put right; the message is one sentence that says what and how."""

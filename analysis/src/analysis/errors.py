"""The one error of this package."""


class InputError(Exception):
    """Something that was read cannot be used; its text is one sentence for the user, with file and line."""

"""What a program said last: why it failed, mostly."""


def last_line(text: str, otherwise: str) -> str:
    """Return the last line of a text that has words in it, or `otherwise` where none has."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), otherwise)

"""What the driver cannot do."""


class DriverError(Exception):
    """Its text is the sentence for the user."""

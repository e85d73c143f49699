"""The upload study: what its scenarios mean, and the driver that runs one of them."""

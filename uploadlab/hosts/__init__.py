"""The machines that roles run on, here or over SSH, and what is done there."""

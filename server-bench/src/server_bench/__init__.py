"""What an upload costs a server, beside the least that the same bytes can cost."""

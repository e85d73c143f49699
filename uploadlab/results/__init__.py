"""A campaign as it is read: its record, its runs, what its study declares."""

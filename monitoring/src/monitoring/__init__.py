"""Collectors for CPU, switches, waits and disks, and readers of what they record."""

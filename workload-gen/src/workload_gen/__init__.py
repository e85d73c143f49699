"""Size distributions, size lists and payload files for upload workloads."""

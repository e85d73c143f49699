"""Why does an upload cost what it does? One profiled run of each cell, and where its CPU went."""

"""Claims of a study: the tests that decide them, and why."""

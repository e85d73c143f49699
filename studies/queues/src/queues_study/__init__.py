"""The driver of the queues study: what a campaign will take, and whether a run's messages arrived as they should."""

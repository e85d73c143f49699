"""Plans a campaign, drives each run, checks its gates and keeps the results."""

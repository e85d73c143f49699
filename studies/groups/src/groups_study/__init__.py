"""The driver of the groups study: what of a run only this study can judge."""

"""The driver of the RPC study: what of a run only this study can judge."""

"""Payload files: their bytes, the folders that hold them, their manifests."""

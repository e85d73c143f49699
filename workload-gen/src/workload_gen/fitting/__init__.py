"""Fits of the models to a user's own sizes."""

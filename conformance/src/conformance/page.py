"""The page that answers a good upload, byte for byte."""

from importlib import resources

PAGE = resources.files("conformance").joinpath("page.html").read_bytes()

"""A black-box suite that proves two upload servers identical."""

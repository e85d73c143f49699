"""The charts, one module a picture: each makes its data once and its specification in a language."""

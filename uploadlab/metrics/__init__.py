"""One run: its figures, series and rounds."""

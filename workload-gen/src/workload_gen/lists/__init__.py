"""Lists: sizes drawn, read and written; arrival schedules."""

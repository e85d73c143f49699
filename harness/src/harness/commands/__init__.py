"""What each command of ./lab does."""

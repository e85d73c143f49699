"""The commands behind `./lab sizes`, one module each."""

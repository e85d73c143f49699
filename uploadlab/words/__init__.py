"""The one catalogue of sentences, in each language: of the report, the tables, the terminal and compared campaigns."""

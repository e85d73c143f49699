"""What the page says: the sentences' logic once, and each language's words in a module of its own."""

"""What the page says: the logic of its sentences, whose words are in the catalogue."""

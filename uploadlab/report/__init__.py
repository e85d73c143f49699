"""What a campaign is said to have found: a summary as JSON, and the page and the terminal made of it."""

"""A campaign: what it needs, its folder, and carrying out its plan."""

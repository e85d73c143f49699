"""What drivers of conducted studies share: reading the lab's specs and the parts' records, and gates on both."""

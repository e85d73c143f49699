"""What an upload endpoint does with good, broken and hostile requests: `./lab conformance`."""

"""Is a change to a server better, worse or equal? Two revisions of one system, compared as two systems are."""

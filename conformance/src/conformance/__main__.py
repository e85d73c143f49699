"""Starts the command line."""

from conformance.command import main

raise SystemExit(main())

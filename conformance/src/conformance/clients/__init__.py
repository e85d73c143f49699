"""Real clients, each of which sends two files with names beyond ASCII and a text field."""

from conformance.clients.programs import CLIENTS

__all__ = ["CLIENTS"]

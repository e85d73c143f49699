"""What a rig file says of a host: how it is reached, and the cores a role has there."""

from typing import Annotated

import msgspec


class Ssh(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a host is reached; what is absent is as the user's own SSH configuration has it.

    `host` is the address for SSH where that is another than the one the roles reach each other by; `patience_s` how
    long a host may be silent before the connection counts as lost.
    """

    user: str | None = None
    port: int | None = None
    identity: str | None = None
    known_hosts: str | None = None
    host: str | None = None
    patience_s: Annotated[int, msgspec.Meta(ge=3)] = 12


class Role(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A role's host and the cores it is pinned to.

    `host` is the address where the other role reaches it (`local`: this machine); `ssh` is None on this machine;
    `folder` is the project's on that host, where it is not in the same place as here.
    """

    host: str
    cores: list[int]
    ssh: Ssh | None = None
    folder: str = ""
    heap_mib: Annotated[int, msgspec.Meta(ge=1)] | None = None

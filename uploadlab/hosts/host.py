"""A machine that a role runs on: a `LocalHost` does what a run needs here, an `SshHost` has one over there do it.

Paths are those of that host unless a method says otherwise. Every method raises LabError, one sentence, when the host
cannot do it or cannot be reached.
"""

from typing import TypeAlias

from uploadlab.hosts.local_host import LocalHost
from uploadlab.hosts.ssh_host import SshHost

Host: TypeAlias = LocalHost | SshHost

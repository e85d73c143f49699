"""What tests need that hold a server to its share of a core."""

import pytest

from harness import cpu_limit

# Only root can make the kernel's control groups, and not in every container; CI can.
needs_groups = pytest.mark.skipif(cpu_limit.why_not() is not None, reason=str(cpu_limit.why_not()))

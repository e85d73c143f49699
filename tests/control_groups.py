"""What tests need that hold a server to its share of a core."""

import pytest

from uploadlab.hosts import cpu_limit

_OBSTACLE = cpu_limit.why_not()
# Only root can make the kernel's control groups, and not in every container; CI can.
needs_groups = pytest.mark.skipif(_OBSTACLE is not None, reason=str(_OBSTACLE))

"""Keep the free memory of a virtual machine from going back to its host.

Where the balloon device reports free pages (virtio 1.2, "Free Page Reporting"), the hypervisor takes blocks of 2 MB
that have been free for some seconds. The next who touches one waits until the hypervisor has found another. Linux
reports no block of which a page is in use: memory is touched once, then given back to Linux but for a page in each MB.
"""

import mmap
from pathlib import Path

from monitoring.machine import memory_bytes, read_text

BALLOONS = Path("/sys/bus/virtio/drivers/virtio_balloon")
REPORTING = 5
"""The number of the feature bit; `features` has a character for each, the lowest first."""
KEPT_EACH = 1 << 20
LARGEST_SHARE = 0.5
"""Of the memory that is available: the rest is left to whoever else needs some meanwhile."""


def goes_to_host() -> bool:
    """Return whether the hypervisor takes memory that is free here."""
    features = (read_text(path) or "" for path in BALLOONS.glob("virtio*/features"))
    return any(bits[REPORTING : REPORTING + 1] == "1" for bits in features)


def keep(size_bytes: int) -> mmap.mmap | None:
    """Touch memory, and return what keeps it here until it is closed: 0.4 % of it stays in use.

    Takes some 5 s a 4 GB. Of what is available at most half is touched; None where that is not even a MB.
    """
    available = int(LARGEST_SHARE * (memory_bytes("MemAvailable") or 0))
    size = min(size_bytes, available) // KEPT_EACH * KEPT_EACH
    if not size:
        return None
    held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held.madvise(mmap.MADV_NOHUGEPAGE)  # a huge page is given back as a whole, or not at all
    for place in range(0, size, mmap.PAGESIZE):
        held[place] = 1
    for place in range(0, size, KEPT_EACH):
        held.madvise(mmap.MADV_DONTNEED, place + mmap.PAGESIZE, KEPT_EACH - mmap.PAGESIZE)
    return held

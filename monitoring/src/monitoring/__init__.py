"""Collectors for CPU, switches, waits and disks, and readers of what they record."""

from monitoring.collectors import NMON_INSTALL_COMMAND, NmonCollector, SamplerCollector
from monitoring.errors import CollectorError, MonitoringError, RecordingError

__all__ = [
    "NMON_INSTALL_COMMAND",
    "CollectorError",
    "MonitoringError",
    "NmonCollector",
    "RecordingError",
    "SamplerCollector",
]

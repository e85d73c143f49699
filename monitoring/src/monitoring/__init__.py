"""Collectors for CPU, switches, waits and disks, and readers of what they record."""

from monitoring.clocks import ONE_CLOCK, ClockAlignment, ClockReading, read_offset
from monitoring.collectors import NMON_INSTALL_COMMAND, NmonCollector, SamplerCollector
from monitoring.errors import CollectorError, MonitoringError, RecordingError
from monitoring.jvm_log import JvmLog, Pauses, read_jvm_log
from monitoring.nmon_reader import read_nmon, read_nmon_recordings
from monitoring.nmon_recording import Damage, DamageKind, NmonRecording, Table
from monitoring.node_metrics import NodeMetrics, read_node_metrics
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from monitoring.samples_reader import SampleDamage, SampleDamageKind, Samples, read_samples

__all__ = [
    "NMON_INSTALL_COMMAND",
    "ONE_CLOCK",
    "SAMPLE_COLUMNS",
    "ClockAlignment",
    "ClockReading",
    "CollectorError",
    "Damage",
    "DamageKind",
    "JvmLog",
    "MonitoringError",
    "NmonCollector",
    "NmonRecording",
    "NodeMetrics",
    "Pauses",
    "RecordingError",
    "SampleDamage",
    "SampleDamageKind",
    "SamplerCollector",
    "Samples",
    "Table",
    "read_jvm_log",
    "read_nmon",
    "read_nmon_recordings",
    "read_node_metrics",
    "read_offset",
    "read_samples",
]

"""Upload sizes and payload files: size models, lists drawn from them, fits to a user's own files."""

from workload_gen.ensure import ensure_sample, ensure_sizes, plan_sample, plan_sizes
from workload_gen.errors import WorkloadError
from workload_gen.lists.arrivals import Schedule, draw_schedule, write_schedule
from workload_gen.payloads.list_files import SampleFiles, SamplePlan
from workload_gen.table1 import SAMPLES_DIR, Table1Sample, read_table1, table1_sample

__all__ = [
    "SAMPLES_DIR",
    "SampleFiles",
    "SamplePlan",
    "Schedule",
    "Table1Sample",
    "WorkloadError",
    "draw_schedule",
    "ensure_sample",
    "ensure_sizes",
    "plan_sample",
    "plan_sizes",
    "read_table1",
    "table1_sample",
    "write_schedule",
]

"""Upload sizes and payload files: size models, lists drawn from them, fits to a user's own files."""

from workload_gen.errors import WorkloadError
from workload_gen.lists.arrivals import Schedule, draw_schedule, write_schedule
from workload_gen.lists.sources import ListSource, file_source, sample_source
from workload_gen.lists.table1 import SAMPLES_DIR, read_table1
from workload_gen.payloads.list_files import SampleFiles, SamplePlan, ensure_list, plan_list

__all__ = [
    "SAMPLES_DIR",
    "ListSource",
    "SampleFiles",
    "SamplePlan",
    "Schedule",
    "WorkloadError",
    "draw_schedule",
    "ensure_list",
    "file_source",
    "plan_list",
    "read_table1",
    "sample_source",
    "write_schedule",
]

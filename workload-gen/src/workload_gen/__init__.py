"""Upload sizes and payload files: size models, lists drawn from them, fits to a user's own files."""

from workload_gen.errors import WorkloadError
from workload_gen.payloads.sample_files import SampleFiles, SamplePlan, ensure_sample, plan_sample
from workload_gen.table1 import Table1Sample, read_table1

__all__ = [
    "SampleFiles",
    "SamplePlan",
    "Table1Sample",
    "WorkloadError",
    "ensure_sample",
    "plan_sample",
    "read_table1",
]

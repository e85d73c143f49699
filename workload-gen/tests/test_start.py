"""What a start costs: libraries that take a second to load are loaded by those who use them."""

import json
import subprocess
import sys

from workload_gen import ensure_list, sample_source

LOADED = """
import json, pathlib, sys
import workload_gen, workload_gen.__main__
root = pathlib.Path(sys.argv[1])
{body}
print(json.dumps([name for name in ("scipy", "jinja2") if name in sys.modules]))
"""
PLAN = """
source = workload_gen.sample_source(3, count=30, seed=1)
plan = workload_gen.plan_list(source, root)
"""
ENSURE = "assert plan.present and plan.summary.count == workload_gen.ensure_list(source, root).count"


def heavy_libraries_after(body, root):
    """The heavy libraries that a fresh Python has loaded after this code."""
    command = [sys.executable, "-c", LOADED.format(body=body), str(root)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_sample_that_is_there_is_planned_and_verified_without_a_heavy_library_and_else_with_one(tmp_path):
    assert heavy_libraries_after(PLAN, tmp_path) == ["scipy"]
    ensure_list(sample_source(3, count=30, seed=1), tmp_path)
    assert heavy_libraries_after(PLAN + ENSURE, tmp_path) == []

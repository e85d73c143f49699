"""What a start costs: libraries that take a second to load are loaded by those who use them."""

import json
import subprocess
import sys

from workload_gen import ensure_sample

HEAVY = ("scipy", "jinja2")

LOADED = f"""
import json, pathlib, sys
import workload_gen, workload_gen.cli
root = pathlib.Path(sys.argv[1])
{{body}}
print(json.dumps([name for name in {HEAVY} if name in sys.modules]))
"""


def heavy_libraries_after(body, root):
    """The heavy libraries that a fresh Python has loaded after this code."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(body=body), str(root)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_no_heavy_library_is_loaded_to_start_the_commands(tmp_path):
    assert heavy_libraries_after("", tmp_path) == []


def test_a_sample_that_is_there_is_planned_and_verified_without_a_heavy_library(tmp_path):
    made = ensure_sample(3, count=30, seed=1, root=tmp_path, say=lambda _: None)
    body = """
plan = workload_gen.plan_sample(3, count=30, seed=1, root=root)
files = workload_gen.ensure_sample(3, count=30, seed=1, root=root)
assert plan.present and plan.summary.bytes_total == files.bytes_total
"""
    assert heavy_libraries_after(body, tmp_path) == []
    assert made.count == 30


def test_the_heavy_library_is_seen_where_it_is_used(tmp_path):
    """Else the tests above would prove nothing."""
    assert "scipy" in heavy_libraries_after("workload_gen.plan_sample(3, count=30, seed=1, root=root)", tmp_path)

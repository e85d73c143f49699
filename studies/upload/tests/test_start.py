"""What a start of the driver costs: SciPy takes a second to load, and a driver starts four times a run."""

import json
import subprocess
import sys

VERB = """
import sys
from upload_study.__main__ import main
code = main(sys.argv[1:])
loaded = [name for name in ("scipy", "jinja2", "httpx") if name in sys.modules]
print(loaded, file=sys.stderr)
sys.exit(code)
"""


def test_a_verb_on_sizes_that_need_no_solving_loads_no_heavy_library(tmp_path):
    sizes = tmp_path / "list.txt"
    sizes.write_text("10\n20\n30\n")
    load = {"rows": 3, "threads": 1, "loops": 4, "warmup_threads": 0, "warmup_loops": 0, "sizes": str(sizes)}
    spec = {"seed": 1, "scenarios": [{"factors": {"sample": "own", "disk": "local"}, "load": load}]}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    done = subprocess.run(
        [sys.executable, "-c", VERB, "needs", "--spec", str(tmp_path / "spec.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    # Four requests of 20 bytes on average.
    assert json.loads(done.stdout)["scenarios"][0]["upload_bytes"] == 80
    assert done.stderr.strip() == "[]"


def test_the_driver_needs_no_database():
    # DuckDB's instructions are not those of every processor that makes a load: an emulated guest ends it with SIGILL.
    told = "import sys, upload_study.__main__, upload_study.check, upload_study.engines; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

"""What commands hold in memory at their peak, for lists of ten million sizes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]

# Not getrusage: its peak begins with that of the process that forked this one.
MEASURED = """
import pathlib, resource, sys
from workload_gen.__main__ import main
code = main(sys.argv[1:])
status = pathlib.Path("/proc/self/status").read_text()
children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(code, max(int(status.split("VmHWM:")[1].split()[0]), children))
"""


def peak_megabytes(*arguments):
    """The peak of the command's process, or of a process it started where that is more."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, kilobytes = done.stdout.split()[-2:]
    assert code == "0", done.stderr
    return int(kilobytes) / 1024


def test_ten_million_sizes_are_drawn_written_and_replayed_within_200_megabytes(tmp_path):
    ten_million = ["generate", "--sample", 10, "--count", 10_000_000, "--out", tmp_path, "--list-only"]
    assert peak_megabytes(*ten_million) < 200
    (path,) = tmp_path.glob("*.csv")
    assert peak_megabytes("generate", "--list", path, "--dry-run") < 200
    assert peak_megabytes("generate", "--list", path, "--count", 5_000_000, "--dry-run") < 200


POPULAR = """[model]
preset = "surge-files"
cap = 100e6
[popularity]
exponent = 0.8
items = 100_000
"""


@pytest.mark.parametrize("source", [["--sample", 10, "--as-printed"], ["--model", "popular.toml"]])
def test_ten_million_sizes_of_every_kind_are_drawn_within_200_megabytes(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    Path("popular.toml").write_text(POPULAR)
    assert peak_megabytes("generate", *source, "--count", 10_000_000, "--out", tmp_path, "--dry-run") < 200


@pytest.mark.parametrize("spread", ["as photos", "all different"])
def test_ten_million_sizes_are_fitted_within_200_megabytes(tmp_path, spread):
    rng = np.random.default_rng(1)
    with (tmp_path / "list.txt").open("w") as file:
        for part in range(40):
            photos = np.exp(rng.normal(9.3, 1.6, 250_000)).astype(int) + 1
            sizes = photos if spread == "as photos" else np.arange(part, 200_000_000, 800) + 1
            file.write("\n".join(map(str, sizes.tolist())) + "\n")
    assert peak_megabytes("fit", tmp_path / "list.txt", "--bootstraps", 100, "--out", tmp_path / "fit") < 200

"""What is required of a result file, decided by intervals over blocks of time."""

import html
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from test_jtl import HEADER, row, write

from uploadlab.analysis.__main__ import main


def result_file(folder: Path) -> Path:
    """Write exponential times of 10 ms on average, and as many slow ones of another label, at a steady rate."""
    generator = np.random.default_rng(5)
    lines = [HEADER]
    for start in range(0, 200_000, 50):
        lines.append(row(start, int(10 + generator.exponential(10)), "Small file"))
        lines.append(row(start, int(100 + generator.exponential(100)), "Large"))
    return write(folder / "requests.jtl", *lines)


def test_the_interval_over_blocks_decides_and_the_exit_code_says_so(tmp_path: Path, capsys) -> None:
    file = result_file(tmp_path)
    for required, code, said in (
        ("mean_ms < 200", 0, "mean_ms < 200 holds in requests.jtl for all requests: mean_ms is 109."),
        ('p99_ms < 70 of "Small file"', 0, 'p99_ms < 70 of "Small file" holds in requests.jtl for Small file'),
        ("p99_ms < 70 of Large", 1, "p99_ms < 70 of Large does not hold"),
        ("throughput_rps >= 39", 0, "throughput_rps >= 39 holds"),
        ("mean_ms < 109.3", 3, "mean_ms < 109.3 can't be told"),
        ("p999_ms < 10000", 3, "p999_ms < 10000 can't be told"),  # a block has 400 requests: too few for it
    ):
        command = ["jtl", str(file), "--out", str(tmp_path / "page"), "--require", required]
        assert main(command) == code, required
        assert said.rstrip(".") in capsys.readouterr().out
        assert said.rstrip(".") in html.unescape((tmp_path / "page" / "index.html").read_text())


def test_no_failure_in_few_requests_does_not_show_that_failures_are_rarer_than_that(tmp_path: Path) -> None:
    file, page = result_file(tmp_path), str(tmp_path / "page")
    for bound, code in (("0.1", 0), ("0.01", 3)):  # three of 8,000 requests are 0.0375 %
        assert main(["jtl", str(file), "--out", page, "--require", f"error_pct < {bound}"]) == code


@pytest.mark.parametrize(("seconds", "per_s"), [(10, 20), (200, 0.2)])
def test_a_file_too_short_or_too_thin_for_blocks_can_tell_nothing(tmp_path: Path, seconds: int, per_s: float) -> None:
    lines = [row(int(1000 * n / per_s), 10) for n in range(int(seconds * per_s))]
    file = write(tmp_path / "requests.jtl", HEADER, *lines)
    assert main(["jtl", str(file), "--out", str(tmp_path / "page"), "--require", "mean_ms < 1000"]) == 3


def test_outcomes_are_written_as_junit_and_an_unknown_label_is_named(tmp_path: Path, capsys) -> None:
    file, junit = result_file(tmp_path), tmp_path / "required.xml"
    command = ["jtl", str(file), "--out", str(tmp_path / "page"), "--junit", str(junit)]
    assert main([*command, "--require", "mean_ms < 1", "--require", "mean_ms < 1000"]) == 1
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert main([*command, "--require", "mean_ms < 1 of Huge"]) == 2
    assert "there is no system Huge; expected Large, Small file, all requests." in capsys.readouterr().err

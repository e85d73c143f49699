"""Campaigns one after the other: where they changed, and what is written of them."""

from pathlib import Path

import pytest
from campaigns import edited
from finished import read_rows
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.analysis.history import change_points, history_command


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([10, 10.2, 9.9, 10.1, 10, 9.8, 10.1], []),
        ([10, 10.2, 9.9, 10.1, 12, 12.1, 11.9, 12.2], [4]),
        ([10, 10.2, 9.9, 10.1, 12, 12.1, 11.9, 12.2, 8, 8.1, 7.9, 8], [4, 8]),
        ([10, 10.01, 9.99, 10, 10.2, 10.21, 10.19, 10.2], []),  # 2 % is less than anybody asks for
        ([10, 10, 10, 20, 20, 20], [3]),
        ([10, 20], []),
        ([10], []),
    ],
)
def test_a_series_changes_where_it_surely_becomes_another(values: list[float], places: list[int]) -> None:
    assert change_points(values) == places


def test_a_change_over_campaigns_is_named_and_its_rows_are_those_of_otava(tmp_path: Path, capsys) -> None:
    folders = []
    for number in range(8):
        slow = Server(capacity_per_s=500.0, cpu_us=400.0 if number < 4 else 600.0)
        folder = tmp_path / f"night-{number}"
        folders.append(
            write_windowed_campaign(
                folder, {"node": slow, "tomcat": Server()}, seed=number, samples=(5,), repeats=2, host_drift=0.0
            )
        )
        with edited(folder / "campaign.json") as record:
            record["started_ns"] = (1_700_000_000 + 86_400 * number) * 10**9
    out = tmp_path / "history"
    assert history_command(list(reversed(folders)), out) == 0
    *changes, page = capsys.readouterr().out.splitlines()
    assert page == str(out / "index.html")
    assert any("-node: server_cpu_us_per_request went from" in line and line.endswith("night-4") for line in changes)
    assert not any("-tomcat: server_cpu" in line for line in changes)
    rows = read_rows(out / "history.csv")
    assert [row["campaign"] for row in rows[:: len(rows) // 8]] == [f"night-{number}" for number in range(8)]
    assert rows[0]["time"] == "2023-11-14T22:13:20+00:00"
    config = (out / "otava.yaml").read_text()
    files = [line.split(": ", 1)[1] for line in config.splitlines() if line.startswith("    file: ")]
    assert files
    assert [len(read_rows(Path(path))) for path in files] == [8] * len(files)
    assert "p99_ms: {column: p99_ms, direction: -1}" in config
    assert "capacity_per_s: {column: capacity_per_s, direction: 1}" in config

"""From measurements to the table, by numbers that can be checked in the head."""

import pytest

from server_bench.contestant import PARSING_FLOOR, Target
from server_bench.measurement import Measurement
from server_bench.table import markdown, markdown_against, markdown_targets, rows


def _one(contestant: str, round: int, cpu_s: float, *, elapsed_s: float = 2.0, generator_cpu_s: float = 0.1):
    return Measurement(
        round=round,
        file_bytes=4096,
        contestant=contestant,
        uploads=1000,
        elapsed_s=elapsed_s,
        server_cpu_s=cpu_s,
        generator_cpu_s=generator_cpu_s,
    )


def _rounds():
    floor = [_one(PARSING_FLOOR, 1, 0.1), _one(PARSING_FLOOR, 2, 0.2), _one(PARSING_FLOOR, 3, 0.4)]
    server = [_one("x", 1, 0.3, elapsed_s=4), _one("x", 2, 0.4, elapsed_s=8), _one("x", 3, 0.4, elapsed_s=2)]
    return [*server, *floor]


def test_cpu_per_upload_is_cpu_time_over_uploads():
    assert _one("x", 1, 0.3).cpu_us_per_upload == pytest.approx(300)


def test_a_ratio_is_the_median_of_the_ratios_within_a_round():
    _, row = rows(_rounds())
    assert row.cpu_ratio == pytest.approx(2)  # of 3, 2 and 1
    assert (row.cpu_ratio_lowest, row.cpu_ratio_highest) == (pytest.approx(1), pytest.approx(3))
    assert row.uploads_per_s == pytest.approx(250)  # of 250, 125 and 500
    assert row.uploads_ratio == pytest.approx(0.5)  # of 0.5, 0.25 and 1


def test_the_floor_comes_first_and_is_one():
    floor, _ = rows(_rounds())
    assert (floor.contestant, floor.cpu_ratio, floor.uploads_ratio) == (PARSING_FLOOR, 1, 1)


def test_a_generator_that_needs_more_cpu_than_the_server_is_told_apart():
    table = rows([_one(PARSING_FLOOR, 1, 0.1, generator_cpu_s=0.2), _one("x", 1, 0.3, generator_cpu_s=0.2)])
    assert [row.generator_was_cheaper for row in table] == [False, True]


def test_every_line_of_the_markdown_table_is_equally_long():
    lines = markdown(rows(_rounds())).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1


def test_the_second_table_sets_the_servers_beside_other_floors():
    other = [_one("go floor", round, 0.2) for round in (1, 2, 3)]
    lines = markdown_against([*_rounds(), *other], ["go floor"]).splitlines()
    assert [cell.strip() for cell in lines[0].split("|")[1:-1]] == ["file bytes", "server", "CPU to the go floor"]
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["4,096", "x", "2.00"]  # of 1.5, 2 and 2
    assert len(lines) == 3


def test_a_server_is_held_to_its_own_floor_from_the_size_of_the_target_on():
    own = [_one("own floor", round, 0.2) for round in (1, 2, 3)]
    targets = {"x": Target("own floor", 2.0, 4096), "absent": Target("no floor", 1.0)}
    lines = markdown_targets([*_rounds(), *own], targets).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert cells[2:] == [["4,096", "x", "own floor", "2.00", "1.50–2.00", "2.00", "met"]]
    assert markdown_targets([*_rounds(), *own], {"x": Target("own floor", 1.9, 4096)}).endswith("not met |")
    assert len(markdown_targets([*_rounds(), *own], {"x": Target("own floor", 2.0)}).splitlines()) == 2  # all below

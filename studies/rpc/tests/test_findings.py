"""The kept tables have what README.md rests on."""

import pytest
from rpc_conducting import OPERATIONS, RPC

from uploadlab.table_file import read_table

CORRECTED = RPC / "example/corrected/analysis/cells.csv"
DISTANCE_MS = 2 * 88  # what the relay of the link `far` holds every byte back, there and back


@pytest.mark.parametrize("system", ["grpc", "avro"])
def test_a_warm_far_call_takes_the_distance_more_than_a_near_one_within_2_percent(system):
    mean_ms = {
        (row["link"], row["operation"]): float(row["mean_ms"])
        for row in read_table(CORRECTED)
        if row["system"] == system
    }
    for operation in OPERATIONS:
        distance_ms = mean_ms["far", operation] - mean_ms["loopback", operation]
        assert distance_ms == pytest.approx(DISTANCE_MS, rel=0.02), operation

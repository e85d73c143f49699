"""The metrics of the Node server, sound and damaged."""

import pytest

from monitoring.node_metrics import read_node_metrics

SOUND = (
    '{"epoch_ns":1795176001507000000,"loop_delay_mean_ms":0.5,"loop_delay_p99_ms":2,'
    '"loop_delay_max_ms":3.25,"gc_count":4,"gc_ms":1.5}\n'
)


@pytest.fixture
def read(tmp_path):
    def write_and_read(text: str):
        path = tmp_path / "server.metrics"
        path.write_text(text)
        return read_node_metrics(path)

    return write_and_read


def test_every_line_is_a_row_with_an_exact_time(read):
    metrics = read(SOUND + SOUND.replace("1507000000", "2507000001"))
    assert metrics.time_ns.tolist() == [1795176001507000000, 1795176002507000001]
    assert {name: values[0] for name, values in metrics.columns.items()} == {
        "loop_delay_mean_ms": 0.5,
        "loop_delay_p99_ms": 2.0,
        "loop_delay_max_ms": 3.25,
        "gc_count": 4.0,
        "gc_ms": 1.5,
    }
    assert metrics.damages == ()


@pytest.mark.parametrize(
    "line", ["{}", "[1]", "nonsense", "", '{"epoch_ns":1.5}', '{"epoch_ns":true}', '{"epoch_ns":99999999999999999999}']
)
def test_a_line_without_a_time_is_left_out_and_listed(read, line):
    metrics = read(SOUND + line + "\n" + SOUND)
    assert len(metrics.time_ns) == 2
    assert [damage.line for damage in metrics.damages] == [2]

"""The metrics of the Node server, sound and damaged."""

import pytest

from monitoring.errors import RecordingError
from monitoring.node_metrics import read_node_metrics

SOUND = (
    '{"epoch_ns":1795176001507000000,"loop_delay_mean_ms":0.5,"loop_delay_p99_ms":2,'
    '"loop_delay_max_ms":3.25,"gc_count":4,"gc_ms":1.5}\n'
)
NO_SECONDS = ["{}", "[1]", "nonsense", "", '{"epoch_ns":1.5}', '{"epoch_ns":true}', '{"epoch_ns":99999999999999999999}']


def test_every_whole_line_with_a_time_is_a_row(tmp_path):
    path = tmp_path / "server.runtime.jsonl"
    path.write_text(SOUND + "\n".join(NO_SECONDS) + "\n" + SOUND.replace("1507000000", "2507000001") + SOUND[:-1])
    metrics = read_node_metrics(path)
    assert metrics.time_ns.tolist() == [1795176001507000000, 1795176002507000001]
    assert {name: values[0] for name, values in metrics.columns.items()} == {
        "loop_delay_mean_ms": 0.5,
        "loop_delay_max_ms": 3.25,
        "gc_count": 4.0,
        "gc_ms": 1.5,
    }
    path.write_text("\n".join(NO_SECONDS))
    with pytest.raises(RecordingError, match=r"runtime\.jsonl:6: has no whole line such as"):
        read_node_metrics(path)

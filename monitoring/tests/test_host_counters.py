"""The host's counters against things that really happen on this host."""

import os
import socket
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from waiting import wait_for

from monitoring.host_counters import HostCounters


def cells_of(cores=(0,), device_of=Path("/proc")) -> dict[str, int]:
    with closing(HostCounters(cores, os.getpid(), device_of)) as counters:
        return counters.cells(counters.read())


def test_ticks_are_summed_over_the_roles_cores_only():
    cores = sorted(os.sched_getaffinity(0))
    lines = {line.split()[0]: line.split() for line in Path("/proc/stat").read_text().splitlines()}
    now = cells_of(cores)
    for place, name in ((4, "cpu_idle_ticks"), (5, "cpu_iowait_ticks")):
        then = sum(int(lines[f"cpu{core}"][place]) for core in cores)
        # Those that waited for a disk may fall when the kernel counts anew.
        assert abs(now[name] - then) <= 60 * len(cores) * os.sysconf("SC_CLK_TCK")
    assert cells_of(cores[:1])["cpu_idle_ticks"] < cells_of(cores)["cpu_idle_ticks"]


def test_connections_beyond_the_listen_queue_are_counted():
    before = cells_of()
    with ExitStack() as opened:
        server = opened.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(8):
            client = opened.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        for name in ("tcp_listen_overflows", "tcp_listen_drops", "tcp_syn_retransmits", "tcp_retransmitted_segments"):
            wait_for(lambda name=name: cells_of()[name] > before[name])
        assert cells_of()["tcp_sockets"] >= 1 + 8


def test_bytes_written_to_the_disk_are_counted(tmp_path):
    before = cells_of(device_of=tmp_path)
    if "disk_written_bytes" not in before:
        pytest.skip("the temporary folder is on no block device")
    with (tmp_path / "data").open("wb") as file:
        file.write(os.urandom(8 << 20))
        file.flush()
        os.fsync(file.fileno())
    after = cells_of(device_of=tmp_path)
    assert after["disk_written_bytes"] - before["disk_written_bytes"] >= 8 << 20
    assert after["disk_busy_ms"] >= before["disk_busy_ms"]


def test_dirty_pages_are_counted_in_bytes(tmp_path):
    kilobytes = {line.split()[0]: int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines()}
    now = cells_of()
    assert 0.2 < now["memory_available_bytes"] / (kilobytes["MemAvailable:"] * 1024) < 5
    assert now["memory_dirty_bytes"] % 1024 == 0

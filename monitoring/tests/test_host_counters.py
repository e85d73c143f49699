"""The host's counters against things that really happen on this host."""

import os
import socket
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from waiting import wait_for

from monitoring.host_counters import CpuTicks, Disk, HostCounters, Memory, Pressure, Source, Tcp
from monitoring.storage import device_number, mount_of


def read(part) -> dict[str, int]:
    return part.cells([source.read() for source in part.sources])


def test_every_part_gives_the_cells_it_gives_alone(tmp_path):
    with closing(HostCounters([0], os.getpid(), tmp_path)) as counters:
        together = counters.cells(counters.read())
    alone = {}
    for part in (CpuTicks([0]), Pressure(), Tcp(os.getpid()), Memory(), Disk(tmp_path)):
        alone |= read(part)
    assert together.keys() == alone.keys()


def test_ticks_are_summed_over_the_roles_cores_only():
    cores = sorted(os.sched_getaffinity(0))
    lines = {line.split()[0]: line.split() for line in Path("/proc/stat").read_text().splitlines()}
    now = read(CpuTicks(cores))
    for place, name in ((4, "cpu_idle_ticks"), (5, "cpu_iowait_ticks")):
        then = sum(int(lines[f"cpu{core}"][place]) for core in cores)
        assert then <= now[name] <= then + 60 * len(cores) * os.sysconf("SC_CLK_TCK")
    assert read(CpuTicks(cores[:1]))["cpu_idle_ticks"] < read(CpuTicks(cores))["cpu_idle_ticks"]


def test_connections_beyond_the_listen_queue_are_counted():
    tcp = Tcp(os.getpid())
    before = read(tcp)
    with ExitStack() as opened:
        server = opened.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(8):
            client = opened.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        for name in ("tcp_listen_overflows", "tcp_listen_drops", "tcp_syn_retransmits", "tcp_retransmitted_segments"):
            wait_for(lambda name=name: read(tcp)[name] > before[name])
        assert read(tcp)["tcp_sockets"] >= 1 + 8


def test_bytes_written_to_the_disk_are_counted(tmp_path):
    disk = Disk(tmp_path)
    before = read(disk)
    if not before:
        pytest.skip("the temporary folder is on no block device")
    with (tmp_path / "data").open("wb") as file:
        file.write(os.urandom(8 << 20))
        file.flush()
        os.fsync(file.fileno())
    after = read(disk)
    assert after["disk_written_bytes"] - before["disk_written_bytes"] >= 8 << 20
    assert after["disk_busy_ms"] >= before["disk_busy_ms"]


def test_dirty_pages_are_counted_in_bytes(tmp_path):
    kilobytes = {line.split()[0]: int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines()}
    now = read(Memory())
    assert 0.2 < now["memory_available_bytes"] / (kilobytes["MemAvailable:"] * 1024) < 5
    assert now["memory_dirty_bytes"] % 1024 == 0


def test_a_file_the_kernel_does_not_have_reads_as_empty_and_gives_no_cells():
    assert Source("/proc/nothing").read() == b""
    assert Pressure().cells([b"", b"", b""]) == {}
    assert Disk(Path("/proc")).cells([b""]) == {}
    assert Tcp(os.getpid()).cells([b"", b"", b""]) == {}


def test_pressure_of_the_whole_cpu_is_left_out():
    cpu = b"some avg10=1.00 avg60=0.00 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    io = b"some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
    assert Pressure().cells([cpu, io, b""]) == {"psi_cpu_some_us": 123, "psi_io_some_us": 7, "psi_io_full_us": 5}


def test_a_text_longer_than_expected_is_read_whole(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"x" * 100_000)
    assert Source(str(path)).read() == b"x" * 100_000


def test_a_path_on_memory_has_no_device():
    assert mount_of(Path("/proc")).filesystem == "proc"
    assert not Path(f"/sys/dev/block/{device_number(Path('/proc'))}").exists()
    assert read(Disk(Path("/proc"))) == {}

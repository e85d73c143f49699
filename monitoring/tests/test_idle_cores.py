"""Whether idle cores sleep while something is measured."""

import contextlib
import os
import time
from pathlib import Path

import pytest

from monitoring import idle_cores

CORES = Path("/sys/devices/system/cpu")
PATIENCE_S = 60


def _polled_us() -> int:
    """How long all cores have polled so far."""
    states = [state for state in CORES.glob("cpu[0-9]*/cpuidle/state*") if (state / "name").read_text() == "POLL\n"]
    return sum(int((state / "time").read_text()) for state in states)


@pytest.mark.skipif(idle_cores.why_asleep() is not None, reason=f"idle cores sleep here: {idle_cores.why_asleep()}")
def test_while_they_are_kept_awake_idle_cores_poll():
    with contextlib.closing(idle_cores.keep_awake()):
        before_us, until = _polled_us(), time.monotonic() + PATIENCE_S
        while _polled_us() < before_us + 50_000:
            assert time.monotonic() < until, "no core polled for 50 ms"
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("hypervisor", "driver", "device", "why"),
    [
        ("none", "haltpoll", True, "this is no virtual machine, and a core wakes up without a hypervisor"),
        (None, "haltpoll", True, "this is no virtual machine, and a core wakes up without a hypervisor"),
        ("kvm", "none", True, "the kernel has no cpuidle driver"),
        ("kvm", None, True, "the kernel has no cpuidle driver"),
        ("kvm", "haltpoll", False, "this user may not write {device}"),
        ("unknown", "haltpoll", True, None),
    ],
)
def test_why_they_sleep_is_told(hypervisor, driver, device, why, tmp_path, monkeypatch):
    monkeypatch.setattr(idle_cores, "virtual_machine", lambda: hypervisor)
    monkeypatch.setattr(idle_cores, "DRIVER", tmp_path / "current_driver")
    monkeypatch.setattr(idle_cores, "DEVICE", tmp_path / "cpu_dma_latency")
    if driver:
        (tmp_path / "current_driver").write_text(f"{driver}\n")
    if device:
        (tmp_path / "cpu_dma_latency").touch()
    assert idle_cores.why_asleep() == (why and why.format(device=tmp_path / "cpu_dma_latency"))


def test_no_time_to_wake_up_is_asked_for_until_the_file_is_closed(tmp_path, monkeypatch):
    device = tmp_path / "cpu_dma_latency"
    monkeypatch.setattr(idle_cores, "DEVICE", device)
    device.touch()
    held = idle_cores.keep_awake()
    assert device.read_bytes() == b"\0\0\0\0"  # 32 bits, in microseconds
    assert not os.get_inheritable(held.fileno())  # else a server would hold it when the lab is gone
    held.close()

"""Whether idle cores sleep while something is measured."""

import contextlib
import os
from pathlib import Path

import pytest
from waiting import wait_for

from monitoring import idle_cores

CORES = Path("/sys/devices/system/cpu")


def _polled_beyond_sleep_us() -> int:
    """How much longer all cores have polled than slept so far."""
    longer_us = 0
    for state in CORES.glob("cpu[0-9]*/cpuidle/state*"):
        time_us = int((state / "time").read_text())
        longer_us += time_us if (state / "name").read_text() == "POLL\n" else -time_us
    return longer_us


@pytest.mark.skipif(idle_cores.why_asleep() is not None, reason=f"idle cores sleep here: {idle_cores.why_asleep()}")
def test_while_they_are_kept_awake_idle_cores_poll_and_do_not_sleep():
    with contextlib.closing(idle_cores.keep_awake()):
        before = _polled_beyond_sleep_us()
        wait_for(lambda: _polled_beyond_sleep_us() > before, pause_s=0.05)  # a busy machine has little idle time


@pytest.mark.parametrize(
    ("hypervisor", "state", "device", "why"),
    [
        ("none", "POLL", True, "this is no virtual machine, and a core wakes up without a hypervisor"),
        ("kvm", None, True, "the kernel has no idle state that polls"),
        ("kvm", "POLL", False, "this user may not write {device}"),
        ("unknown", "POLL", True, None),
    ],
)
def test_why_they_sleep_is_told(hypervisor, state, device, why, tmp_path, monkeypatch):
    monkeypatch.setattr(idle_cores, "virtual_machine", lambda: hypervisor)
    monkeypatch.setattr(idle_cores, "LIGHTEST_STATE", tmp_path / "name")
    monkeypatch.setattr(idle_cores, "DEVICE", tmp_path / "cpu_dma_latency")
    if state:
        (tmp_path / "name").write_text(f"{state}\n")
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

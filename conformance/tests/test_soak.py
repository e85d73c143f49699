"""The soak counts files exactly and sees growth."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest

from conformance.profile import MIB, STANDARD_LIMITS
from conformance.soak import Soak, draw_upload, growths
from conformance.store import Store
from conformance.target import Usage


def usage(resident_mib=100.0, threads=10, descriptors=20):
    return Usage(descriptors=descriptors, threads=threads, resident_bytes=int(resident_mib * MIB))


def test_a_straight_line_gives_its_slope_and_its_growth():
    samples = [(float(second), usage(resident_mib=100 + second)) for second in range(0, 101)]
    resident, threads, descriptors = growths(samples)
    assert resident.slope_per_min == pytest.approx(60.0)
    assert resident.growth == pytest.approx(50.0)  # the first half is left out
    assert not resident.flat
    assert (threads.growth, threads.flat, descriptors.growth, descriptors.flat) == (0, True, 0, True)


def test_growth_in_the_warm_up_only_is_flat():
    samples = [(float(second), usage(resident_mib=100 + 10 * min(second, 20))) for second in range(0, 101)]
    assert growths(samples)[0].flat


def test_a_leak_of_one_descriptor_in_two_seconds_is_seen():
    samples = [(float(second), usage(descriptors=20 + second // 2)) for second in range(0, 101)]
    assert not growths(samples)[2].flat


def test_too_few_samples_say_nothing():
    assert growths([(float(second), usage()) for second in range(5)]) == []


def test_the_uploads_are_a_mixture_the_same_for_the_same_seed():
    draw = random.Random(1)
    some = [draw_upload(draw, STANDARD_LIMITS) for _ in range(500)]
    again = random.Random(1)
    assert some == [draw_upload(again, STANDARD_LIMITS) for _ in range(500)]
    kinds = Counter(upload.kind for upload in some)
    assert kinds["aborted"] > 60
    assert 250 < sum(kinds[kind] for kind in ("one file", "two files", "one file in chunks")) < 350
    assert len(kinds) == 12


def test_a_correct_server_stores_what_it_answers_and_files_of_before_are_neither_deleted_nor_counted(start_reference):
    with start_reference() as provider:
        target, _ = provider.target("standard")
        earlier = target.upload_dir / "0b9fdd3e-8f0a-4c53-9a58-1d9f3c1c8a11"
        earlier.write_bytes(b"mine")
        report = Soak(target, Store(target.upload_dir), 3).run(2.0, lambda _: None)
        assert earlier.read_bytes() == b"mine"
    assert report.faults == []
    assert report.files_answered == report.files_stored > 20
    assert report.sent["aborted"] > 0


def test_whoever_stops_a_soak_does_not_wait_for_the_rest_of_its_time(start_reference):
    def stop(_):
        raise KeyboardInterrupt

    asked_s = 20.0
    with start_reference() as provider:
        target, store = provider.target("standard")
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            Soak(target, store, 3).run(asked_s, stop)
        assert time.monotonic() - began < asked_s


def test_a_server_that_dies_in_a_soak_is_a_fault_of_the_report(start_reference, monkeypatch):
    monkeypatch.setattr("conformance.soak.SETTLE_S", 0.1)
    with start_reference() as provider:
        target, store = provider.target("standard")
        report = Soak(target, store, 3).run(2.5, lambda _: os.kill(target.pid, signal.SIGKILL))
        deaths = provider.deaths()
    assert "the server is not healthy afterwards" in report.faults
    assert len(deaths) == 1


@pytest.mark.parametrize(
    ("fault", "words"), [("loses_the_second_file", "are stored"), ("leaves_incomplete_files", "left behind")]
)
def test_a_wrong_server_is_caught(start_reference, fault, words, monkeypatch):
    monkeypatch.setattr("conformance.soak.SETTLE_S", 1.0)
    with start_reference(fault) as provider:
        report = Soak(*provider.target("standard"), 3).run(2.0, lambda _: None)
    assert any(words in found for found in report.faults)

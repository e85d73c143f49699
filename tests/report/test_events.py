"""What the report names without calling a run invalid, and what it says of open arrivals."""

from handmade import ENGLISH, PORTUGUESE, results_by_hand, run

from uploadlab.report import grids
from uploadlab.report.sentences.method import method
from uploadlab.report.setup import setup


def test_full_listen_queues_and_segments_sent_again_are_named_for_each_run_that_had_them(tmp_path):
    rows = [
        run("s05-local-node", "01", mean_ms=5, listen_overflows=1234, retransmits=7, settled="false"),
        run("s05-local-node", "02", mean_ms=5, listen_overflows=0, retransmits=0, settled="true"),
        run("s05-local-tomcat", "01", mean_ms=5, listen_overflows=0, retransmits=1),
    ]
    results = results_by_hand(tmp_path / "c", rows)
    assert grids.events(results, ENGLISH) == [
        (
            "s05-local-node/01",
            "listen-queue overflows: 1,234 (each connection is retried after 1, 3 or 7 s); retransmitted TCP "
            "segments: 7; the response times never settled",
        ),
        ("s05-local-tomcat/01", "retransmitted TCP segments: 1"),
    ]
    assert len(grids.events(results, PORTUGUESE)) == 2
    assert grids.problems(results, ENGLISH) == []


def test_a_campaign_of_calibrated_open_arrivals_says_so(tmp_path):
    load = {"arrivals": "open", "rate_per_s": "calibrated", "window": "settled"}
    rows = [run("s05-local-node", "01", mean_ms=5), run("s05-local-tomcat", "01", mean_ms=5)]
    profile = {"name": "corrected", "settings": {"load": load}}
    results = results_by_hand(tmp_path / "c", rows, profile=profile)
    said = method(ENGLISH, results, setup(results))
    assert "drawn from a Poisson process, whether or not earlier ones had been answered" in said
    assert "the part of each run in which response times had settled" in said
    closed = results_by_hand(tmp_path / "d", rows)
    assert "Poisson" not in method(ENGLISH, closed, setup(closed))

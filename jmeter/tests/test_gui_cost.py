"""bench/gui.py: what the window costs."""

import argparse
import xml.etree.ElementTree as ET

import pytest

from .conftest import JMETER


@pytest.fixture
def gui(monkeypatch):
    monkeypatch.syspath_prepend(JMETER / "bench")
    import gui

    return gui


def listeners(plan: str) -> dict[str, bool]:
    return {
        each.get("testname", ""): each.get("enabled") != "false" for each in ET.fromstring(plan).iter("ResultCollector")
    }


def test_each_way_writes_its_requests_and_only_one_has_its_listeners_open(gui):
    for way in (gui.WITHOUT, gui.BARE):
        assert sorted(listeners(gui.plan_for(way)).values()) == [False, False, True]
        assert listeners(gui.plan_for(way))["Requests"]
    assert list(listeners(gui.plan_for(gui.LISTENERS)).values()) == [True, True, True]


def test_figures_are_those_of_the_second_half(gui, tmp_path):
    # 20 requests, one a second, the last ten of 10 and 30 ms in turn; JMeter used 5 ticks a second.
    elapsed = [500] * 10 + [10, 30] * 5
    rows = "".join(f"{1_000_000 + 1000 * i - ms},{ms},true\n" for i, ms in enumerate(elapsed))
    (tmp_path / "requests.jtl").write_text("timeStamp,elapsed,success\n" + rows)
    ticks = [(1000.0 + second, 3 * second, 2 * second) for second in range(20)]
    found = gui.figures(tmp_path / "requests.jtl", ticks, 20)
    assert found.mean_ms == 20
    assert found.cv == pytest.approx((1000 / 9) ** 0.5 / 20)  # ten deviations of 10 ms
    assert found.requests_per_s == pytest.approx(10 / 9)
    assert found.cpu_us == pytest.approx(5 * gui.TICK_US)


def test_a_ratio_has_the_t_interval_of_its_logarithms(gui):
    # Logarithms of the ratios: ln 2 and ln 8, mean ln 4, standard error ln 2, t(1) = 12.706.
    middle, lo, hi = gui.ratio([2, 8], [1, 1])
    assert middle == pytest.approx(4)
    assert hi == pytest.approx(4 * 2**12.7062, rel=1e-4)
    assert lo == pytest.approx(4 / 2**12.7062, rel=1e-4)


@pytest.mark.long
@pytest.mark.slow
def test_the_window_runs_the_plan_to_its_end_by_itself(gui, home):
    asked = argparse.Namespace(size=4, threads=5, requests=4000)
    with gui.null_server() as port, gui.screen() as display:
        found = gui.run(gui.LISTENERS, asked, port, display)
    assert found.requests_per_s > 0
    assert found.cpu_us > 0

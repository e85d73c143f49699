"""The benchmark of the published campaign, at a scale that a test can wait for."""

import shutil
import statistics
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
import published_campaign

pytestmark = [pytest.mark.slow, pytest.mark.alone]
REQUESTS = 2000
ROUNDS = 3
LEAST_RATIO = 2.5


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """22 cells of 4 repeats, 2000 requests each."""
    folder = tmp_path_factory.mktemp("published") / "campaign"
    return published_campaign.write(folder, requests=REQUESTS, threads=20)


def test_every_figure_agrees_with_the_truth_and_a_second_report_is_much_faster(campaign):
    firsts, seconds = [], []
    for _ in range(ROUNDS):
        for derived in ("analysis", "report"):
            shutil.rmtree(campaign.folder / derived, ignore_errors=True)
        firsts.append(published_campaign.report(campaign.folder))
        seconds.append(published_campaign.report(campaign.folder))
    assert published_campaign.differences(campaign, REQUESTS) == []
    first, second = (statistics.median(cost.seconds for cost in costs) for costs in (firsts, seconds))
    print(f"first report {first:.1f} s, second {second:.1f} s: {first / second:.1f} times")
    assert first / second >= LEAST_RATIO


def test_the_check_against_the_truth_would_notice_a_wrong_figure(campaign):
    published_campaign.report(campaign.folder)
    path = campaign.folder / "analysis" / "runs.csv"
    header, first, *rest = path.read_text().splitlines()
    place = header.split(",").index("mean_ms")
    fields = first.split(",")
    fields[place] = str(1.3 * float(fields[place]))
    path.write_text("\n".join([header, ",".join(fields), *rest]) + "\n")
    [sentence] = published_campaign.differences(campaign, REQUESTS)
    assert "mean_ms is" in sentence

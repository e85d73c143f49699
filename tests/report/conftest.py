"""A real report for the tests that read it: a synthetic campaign, analysed and reported once."""

from dataclasses import dataclass
from pathlib import Path

import campaigns
import pytest

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.report import write


@dataclass(frozen=True)
class Report:
    """A campaign's folder and the page that was written for it."""

    folder: Path
    page: Path

    @property
    def html(self) -> str:
        """The page as text."""
        return self.page.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Three samples, both systems, three repeats; one run invalid, one failed, one planned but missing.

    Tests that read it are of the group `report`, so that one process makes it once.
    """
    folder = tmp_path_factory.mktemp("campaigns") / "three-samples"
    campaigns.write_campaign(
        folder,
        samples=(1, 5, 10),
        repeats=3,
        requests=1500,
        claims=campaigns.study_claims()[:1],
        invalid=[("s05-local-tomcat", "01")],
        failed=[("s10-local-node", "02")],
    )
    missing = folder / "runs" / "s01-local-node" / "03"
    (missing / "run.json").unlink()
    write_analysis(folder)
    return Report(folder=folder, page=write(folder))

"""How a campaign's report ended, as `./lab run` takes it."""

import pytest

from uploadlab.campaigns.report import MADE, report

ENDS = {
    "sys.exit(0)": True,
    "sys.exit(1)": True,
    "sys.exit(2)": False,
    "sys.exit(3)": True,
    "os.kill(os.getpid(), 9)": False,
}


@pytest.mark.parametrize(("end", "made"), ENDS.items(), ids=str)
def test_there_is_a_report_only_where_the_analysis_says_so(end, made, tmp_path, monkeypatch):
    package = tmp_path / "uploadlab" / "analysis"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    (package / "__main__.py").write_text(f"import os, sys; {end}")
    monkeypatch.chdir(tmp_path)  # where `python -m` looks first
    assert (report(tmp_path) in MADE) is made

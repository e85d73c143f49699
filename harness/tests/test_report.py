"""How a campaign's report ended, as `./lab run` takes it."""

import pytest

from harness.commands.report import report

ENDS = {"sys.exit(0)": True, "sys.exit(1)": True, "sys.exit(2)": False, "os.kill(os.getpid(), 9)": False}


@pytest.mark.parametrize(("end", "made"), ENDS.items(), ids=str)
def test_there_is_a_report_only_where_the_analysis_says_so(end, made, tmp_path, monkeypatch):
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").touch()
    (tmp_path / "analysis" / "__main__.py").write_text(f"import os, sys; {end}")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert report(tmp_path) is made

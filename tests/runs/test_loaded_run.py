"""A run whose load the driver makes, without what is around it in a campaign."""

from pathlib import Path

import pytest
import tiny

from uploadlab.runs.run import make_run
from uploadlab.runs.run_context import RunContext

MEMORY = Path("/dev/shm")


@pytest.mark.skipif(not MEMORY.is_dir(), reason="no /dev/shm")
@pytest.mark.parametrize("mode", ["babbles", "fails_at_check"])
def test_a_failed_run_leaves_nothing_of_what_it_stored_in_memory(mode, tmp_path):
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["tmpfs"]})
    campaign.study.file.driver["mode"] = mode
    run = campaign.runs()[0]
    sut = next(sut for sut in campaign.systems if sut.key == run.key)
    stored = campaign.stores_in(run.factors) / f"{run.cell}-{run.repeat}"
    settle = campaign.place.server.settle

    def store(folder: Path) -> None:
        settle(folder)
        (folder / "upload").write_bytes(bytes(1000))

    context = RunContext(campaign=campaign, gates=campaign.study.gates)
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(campaign.place.server, "settle", store)
            record = make_run(context, run, sut, campaign.profile.load_of(run.factors), lambda _: None)
        left = list(stored.iterdir())
    finally:
        campaign.place.close()
    assert record["status"] == "failed", record
    assert left == []
    assert not stored.exists()

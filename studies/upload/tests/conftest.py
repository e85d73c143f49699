"""What the tests of the upload study share: what the harness would tell the driver."""

from pathlib import Path
from typing import Any

from upload_study.spec import Factors, Load, RunSpec, ServerAddress, UploadTarget


def server_at(port: int, **target: Any) -> ServerAddress:
    return ServerAddress(host="127.0.0.1", port=port, upload=UploadTarget(path="/getimages", field="avatar", **target))


def run_spec(uploads: Path, load: Load, **more: Any) -> RunSpec:
    """Return the spec of a run that stores its uploads in a folder."""
    usual = {"factors": Factors(sample=5, disk="local")}
    return RunSpec(seed=1, stored_in=uploads, load=load, **{**usual, "server": server_at(1), **more})

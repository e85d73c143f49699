"""What the driver is told by the harness, and what it says when that is wrong."""

import json

import pytest

from upload_study.spec import CampaignSpec, DriverError, read_spec

LOAD = {"rows": 3, "reader": "csv_data_set", "threads": 1, "loops": 4, "ramp_up_s": 0, "warmup_threads": 0}


def spec_with(folder, load):
    spec = {
        "seed": 1,
        "driver": {"page_bytes": 1, "page_sha256": "x"},
        "scenarios": [{"factors": {"sample": 5, "disk": "local"}, "load": LOAD | load}],
    }
    path = folder / "needs.spec.json"
    path.write_text(json.dumps(spec))
    return path


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        ({"warmup_loops": 0, "lops": 7}, "The load .*--load.*: Object contains unknown field `lops`"),
        ({"warmup_loops": "many"}, "The load .*--load.*: Expected `int`, got `str` - at `.*warmup_loops`"),
    ],
)
def test_a_wrong_setting_of_the_load_is_said_to_be_one_and_not_to_stand_in_a_file_of_the_labs(tmp_path, load, sentence):
    with pytest.raises(DriverError, match=sentence) as said:
        read_spec(spec_with(tmp_path, load), CampaignSpec)
    assert str(tmp_path) not in str(said.value)


def test_a_spec_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "needs.spec.json"
    path.write_text("{")
    with pytest.raises(DriverError, match=r"needs\.spec\.json: Input data was truncated"):
        read_spec(path, CampaignSpec)

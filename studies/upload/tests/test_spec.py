"""What the driver is told by the harness, and what it says when that is wrong."""

import json

import pytest

from upload_study.inputs import needs
from upload_study.spec import CampaignSpec, DriverError, Factors, Load, Scenario, read_spec

LOAD = {"rows": 3, "threads": 1, "loops": 4, "warmup_threads": 0, "warmup_loops": 0}
OPEN = {"arrivals": "open", "duration_s": 1}


def spec_with(folder, load):
    spec = {"seed": 1, "scenarios": [{"factors": {"sample": 5, "disk": "local"}, "load": LOAD | load}]}
    path = folder / "needs.spec.json"
    path.write_text(json.dumps(spec))
    return path


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        ({"lops": 7}, "The load .*--load.*: Object contains unknown field `lops`"),
        ({"loops": 0}, r"The load .*--load.*: loops must be 1 or more, not 0 - at"),
        ({"threads": 0}, r"The load .*--load.*: threads must be 1 or more, not 0 - at"),
        ({"rows": 0}, r"The load .*--load.*: rows must be 1 or more, not 0 - at"),
        (OPEN, "a load of open arrivals needs duration_s and rate_per_s, and only that"),
        ({"duration_s": 1}, "a load of closed arrivals needs loops or duration_s, and only that"),
        (OPEN | {"loops": None, "rate_per_s": 0}, "rate_per_s must be above 0, not 0"),
    ],
)
def test_a_wrong_setting_of_the_load_is_said_to_be_one_and_not_to_stand_in_a_file_of_the_labs(tmp_path, load, sentence):
    with pytest.raises(DriverError, match=sentence) as said:
        read_spec(spec_with(tmp_path, load), CampaignSpec)
    assert str(tmp_path) not in str(said.value)


@pytest.mark.parametrize(
    ("injectors", "load", "sentence"),
    [
        (2, {}, "--injectors: only --generator jmeter can make the load from several hosts."),
        (1, {"influxdb": "http://127.0.0.1:1/write"}, "--influxdb: only --generator jmeter writes live figures"),
    ],
)
def test_what_lean_does_not_do_is_refused_before_the_campaign(injectors, load, sentence):
    lean = Factors(sample=5, disk="local", generator="lean")
    scenario = Scenario(factors=lean, load=Load(**LOAD, **load))
    with pytest.raises(DriverError, match=sentence.replace(".", r"\.")):
        needs(CampaignSpec(seed=1, scenarios=[scenario], injectors=injectors))

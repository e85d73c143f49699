"""The plans as files: what a reader and a stock JMeter can rely on."""

import re
from xml.etree import ElementTree

import pytest

from .conftest import JMETER

PLANS = sorted(path.name for path in JMETER.glob("*.jmx"))
SETTINGS = {
    "scheme": "http",
    "host": "127.0.0.1",
    "port": "8080",
    "path": "/getimages",
    "field": "avatar",
    "threads": "50",
    "loops": "20",
    "ramp_up_s": "0",
    "duration_s": "0",
    "think_time_ms": "0",
    "sizes_csv": "sizes.csv",
    "payload_dir": "payloads",
    "reader": "csv_data_set",
    "warmup_threads": "20",
    "warmup_loops": "0",
    "lead_ms": "1000",
    "connect_timeout_ms": "60000",
    "response_timeout_ms": "60000",
    "page_bytes": "0",
    "keep_alive": "true",
    "influxdb_url": "http://127.0.0.1:8086/write?db=upload_lab",
    "campaign": "none",
    "cell": "none",
    "repeat": "none",
}


def settings_of(text):
    return dict(re.findall(r"\$\{__P\(lab\.(\w+),([^)]*)\)\}", text))


@pytest.mark.parametrize("plan", PLANS)
def test_no_plan_names_a_place_a_person_or_a_machine(plan):
    text = (JMETER / plan).read_text()
    places = re.findall(r"(?<![\w}])/[a-z]+[\w/.-]*(?=[<,)])", re.sub(r"</\w+>|/>", "", text))
    assert set(places) <= {"/getimages"}
    assert not re.search(r"[A-Z]:\\|/home/|/root|/tmp|\buser\.home\b", text)


@pytest.mark.parametrize("plan", PLANS)
def test_every_property_is_read_once_with_its_default_and_described(plan):
    tree = ElementTree.parse(JMETER / plan)
    text = (JMETER / plan).read_text()
    rows = [argument for argument in tree.iter("elementProp") if argument.get("elementType") == "Argument"]
    read = [row for row in rows if "__P(" in row.findtext("stringProp[@name='Argument.value']")]
    assert len(read) == text.count("__P(") == len(settings_of(text))
    for row in read:
        assert row.findtext("stringProp[@name='Argument.value']").startswith(f"${{__P(lab.{row.get('name')},")
        assert row.findtext("stringProp[@name='Argument.desc']")


def test_the_settings_of_the_upload_plan_are_these():
    assert settings_of((JMETER / "upload.jmx").read_text()) == SETTINGS


@pytest.mark.parametrize("plan", PLANS)
def test_every_setting_stands_in_the_readme(plan):
    readme = (JMETER / "README.md").read_text()
    for name, default in settings_of((JMETER / plan).read_text()).items():
        assert f"| `lab.{name}` | {default} |" in readme, name


@pytest.mark.parametrize("plan", PLANS)
def test_every_element_belongs_to_stock_jmeter(plan, home):
    lines = (home / "bin/saveservice.properties").read_text().splitlines()
    aliases = {name for line in lines if "=" in line for name in line.partition("=")[0].split(",")}
    for element in ElementTree.parse(JMETER / plan).iter():
        for kind in (element.get("testclass"), element.get("guiclass")):
            assert kind is None or kind in aliases, kind

"""The plans as files: what a reader and a stock JMeter can rely on."""

import re
from xml.etree import ElementTree

import pytest

from .conftest import JMETER

PLANS = sorted(path.name for path in JMETER.glob("*.jmx"))
README = (JMETER / "README.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("plan", PLANS)
def test_every_setting_stands_in_the_readme_and_no_other_in_the_table_of_the_upload_plan(plan):
    table = README.partition("## The plan")[2].partition("## Open arrivals")[0] if plan == "upload.jmx" else README
    rows = dict(re.findall(r"^\| `lab\.(\w+)` \| (.*?) \|", table, re.MULTILINE))
    settings = settings_of((JMETER / plan).read_text())
    assert settings == rows if plan == "upload.jmx" else settings.items() <= rows.items()


@pytest.mark.parametrize("plan", PLANS)
def test_every_element_belongs_to_stock_jmeter(plan, home):
    lines = (home / "bin/saveservice.properties").read_text().splitlines()
    aliases = {name for line in lines if "=" in line for name in line.partition("=")[0].split(",")}
    for element in ElementTree.parse(JMETER / plan).iter():
        for kind in (element.get("testclass"), element.get("guiclass")):
            assert kind is None or kind in aliases, kind

from xml.etree import ElementTree

from uploadlab.junit import Case, junit_xml


def test_a_case_that_failed_has_its_sentence_its_lines_and_its_seconds():
    case = Case(group="must", name="a/b", kind="failure", told="not stored", detail="sent: x\nseen: y", seconds=0.25)
    suite = ElementTree.fromstring(junit_xml("all", [case, Case(group="may", name="c")]).encode())
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "2",
        "failures": "1",
        "skipped": "0",
    }
    failed, passed = suite.findall("testcase")
    assert (failed.get("time"), passed.get("time")) == ("0.250", None)
    assert (failed[0].get("message"), failed[0].text) == ("not stored", "sent: x\nseen: y")


def test_what_xml_cannot_hold_is_replaced():
    suite = ElementTree.fromstring(junit_xml("all", [Case(group="g", name="n", told="a\x00b")]).encode())
    assert suite.findtext("testcase/system-out") == "a\ufffdb"

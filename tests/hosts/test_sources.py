"""What two hosts must have alike before one measures for the other."""

import pytest

from uploadlab.hosts.sources import difference, sources


@pytest.mark.parametrize(
    "file",
    [
        "uploadlab/runs/run.py",
        "node-server/server.js",
        "node-server/package-lock.json",
        "tomcat-server/pom.xml",
        "tomcat-server/paper-2016/pom.xml",
        "studies/kit/reference-server/src/uploadlab/reference/ReferenceServer.java",
        "studies/upload/study.toml",
        "jmeter/upload.jmx",
        "jmeter/bin/gui",
    ],
)
def test_the_programs_of_every_language_are_compared(file):
    assert file in sources()


def test_what_is_built_and_what_only_tests_need_is_not():
    assert not [file for file in sources() if {"target", "node_modules", "tests"} & set(file.split("/"))]


@pytest.mark.parametrize(
    ("theirs", "found"),
    [
        ({"a": "1", "b": "2"}, None),
        ({"a": "1", "b": "3"}, ("b", "differs from the one here")),
        ({"a": "1"}, ("b", "is missing there")),
        ({"a": "1", "aa": "1", "b": "2"}, ("aa", "exists there but not here")),
    ],
)
def test_the_first_file_that_differs_or_is_on_one_side_only_is_named(theirs, found):
    assert difference({"a": "1", "b": "2"}, theirs) == found

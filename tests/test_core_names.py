"""A study is a folder: the package names no system, factor or load generator of one."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = "uploadlab"
NAMES = (
    "node|tomcat|jmeter|zeromq|nanomsg|nng|berkeley|rabbitmq|simplified|grpc|avro|jgroups|thin-pull|envelope"
    "|Node\\.js|Tomcat|ZeroMQ|RabbitMQ|gRPC|Avro|JGroups|uploads?"
)
WORD = re.compile(rf"(?<![\w-])(?:{NAMES})(?![\w-])")
"""Whole words; JMeter by its full name is a file format that the analysis reads, and Upload Lab the product's."""
QUOTED = re.compile(r"""(["'])(?:sample|disk|generator|capacity|lean|D|S)\1""")
"""Words of every day that are a factor, a level or a system only where they stand as texts."""
ALLOWED = {
    "commands/suite.py": {"nanomsg", "nng", "rabbitmq"},  # packages that the tests of the studies' parts need
    "cli.py": {"upload"},  # the study where none is named
    "commands/doctor.py": {'"disk"'},  # the name of the check of the disk
    "runs/load_spec.py": {"upload"},  # where a server takes files, as its sut.toml calls it
    "planning/system.py": {"upload", "uploads"},
    "planning/campaign.py": {'"capacity"'},
    "planning/kept_campaign.py": {"upload"},
    "commands/chosen_campaign.py": {"upload", "uploads"},
    "runs/server.py": {"uploads"},
    "commands/serve.py": {"uploads"},  # where a server that is tried by hand stores
    "raw/runtime.py": {"Node.js"},  # what a JVM and Node.js write about themselves, whoever runs on them
    "raw/request_format.py": {"jmeter"},  # the name of a setting of JMeter in a sentence about its files
    "jtl/": {"jmeter", '"sample"', '"generator"'},  # JMeter's settings and XML, and HTML
    # Windows, capacity and memory are those of a server that takes uploads, until another study has such.
    "metrics/window_figures.py": {"upload", "uploads"},
    "results/windows.py": {"uploads"},
    "results/declarations.py": {"upload", "uploads", '"capacity"'},
    "alone.py": {"upload"},
    "commands/league.py": {"uploads"},  # it is a league of upload servers, as its page says
    "report/league_page.py": {"upload"},
    "tables/ranks.py": {"uploads"},
    "explain/": {"upload", "node", "Node.js"},  # nodes of a tree of calls, and the runtimes that can be profiled
    "records.py": {"upload", '"sample"', '"disk"'},
    "requirements.py": {"node", '"capacity"'},  # an example, and the short name of a metric
}


def words_of_studies():
    """Yield each file of the package with the words in it that name a part of a study, and their lines."""
    for path in sorted((ROOT / CORE).rglob("*.py")):
        if "conformance" in (path.stem, path.parent.name, path.parents[1].name):  # it is about uploads
            continue
        lines = enumerate(path.read_text().splitlines(), 1)
        found = [(one[0], f"{number}: {line.strip()}") for number, line in lines for one in _names(line)]
        yield path.relative_to(ROOT / CORE).as_posix(), found


def _names(line):
    return [*WORD.finditer(line), *QUOTED.finditer(line)]


def test_the_package_names_no_system_and_no_factor_of_a_study():
    named = []
    for place, found in words_of_studies():
        allowed = next((words for known, words in ALLOWED.items() if place.startswith(known)), set())
        named += [f"{place}:{line}" for word, line in found if word not in allowed]
    assert not named

"""A study is a folder: harness and analysis name no system, factor or load generator of one."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ("harness/src", "analysis/src")
NAMES = (
    "node|tomcat|jmeter|zeromq|nanomsg|nng|berkeley|rabbitmq|simplified|grpc|avro|jgroups|thin-pull|envelope"
    "|Node\\.js|Tomcat|ZeroMQ|RabbitMQ|gRPC|Avro|JGroups|uploads?"
)
WORD = re.compile(rf"(?<![\w-])(?:{NAMES})(?![\w-])")
"""Whole words; JMeter by its full name is a file format that the analysis reads, and Upload Lab the product's."""
QUOTED = re.compile(r"""(["'])(?:sample|disk|generator|capacity|lean|D|S)\1""")
"""Words of every day that are a factor, a level or a system only where they stand as texts."""
ELSEWHERE = {
    "harness/suite.py": "packages that the tests of the studies' parts need",
    "harness/cli.py": "the study where none is named",
    "harness/doctor.py": "the check of the disk, and what a run stores on it",
    "analysis/runtime.py": "what a JVM and Node.js write about themselves, whoever runs on them",
    "analysis/request_format.py": "the name of a setting of JMeter in a sentence about its files",
    "analysis/jtl/": "result files of JMeter",
    "analysis/report/words/english.py": "the heading of a column",
    "analysis/report/words/portuguese.py": "the heading of a column",
}
STORED = [
    "calibrate",
    "campaign",
    "deletions",
    "execute",
    "gates",
    "rig",
    "run",
    "run_command",
    "schedule",
    "serve",
    "system",
]
"""Modules of the harness that keep what a load stores on a disk of the rig, which they call uploads."""


def lines_that_name_a_study():
    for folder in CORE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT / folder).as_posix()
            if any(place.startswith(known) for known in ELSEWHERE):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = [one[0] for one in (*WORD.finditer(line), *QUOTED.finditer(line))]
                if path.stem in STORED and folder == CORE[0]:
                    found = [word for word in found if word not in ("upload", "uploads")]
                if found:
                    yield f"{folder}/{place}:{number}: {', '.join(found)}: {line.strip()}"


def test_harness_and_analysis_name_no_system_and_no_factor_of_a_study():
    assert not list(lines_that_name_a_study())


def test_what_may_name_one_is_there_and_does():
    for known in ELSEWHERE:
        [path] = [path for folder in CORE for path in (ROOT / folder).glob(known)]
        files = path.rglob("*.py") if path.is_dir() else [path]
        assert any(WORD.search(text) or QUOTED.search(text) for text in (file.read_text() for file in files)), known

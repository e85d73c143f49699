"""The tables: every case, by group. A row is a line: what is sent, what is expected, who says so."""

from dataclasses import replace

from uploadlab.conformance.case import Case
from uploadlab.conformance.cases import broken, good, hostile, http, lasting, names, process, smuggling
from uploadlab.conformance.endpoint import Endpoint


def all_cases(endpoint: Endpoint) -> list[Case]:
    """Return every case, written for this endpoint."""
    groups = {
        "good": good.cases(endpoint.forms),
        "http": http.cases(endpoint.forms, endpoint.max_file_bytes),
        "smuggling": smuggling.cases(endpoint.forms),
        "broken": broken.cases(endpoint.forms),
        "names": names.cases(endpoint.forms),
        "hostile": hostile.cases(endpoint.forms),
        "lasting": lasting.cases(endpoint.forms),
        "process": process.cases(endpoint.forms),
    }
    return [replace(case, group=group, id=f"{group}/{case.id}") for group, cases in groups.items() for case in cases]

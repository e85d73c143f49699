"""The page: what failed, with what repeats it, then every case, grade by grade."""

from monitoring.pages.document import Cell, Column, Page, Section, Table, Text
from monitoring.pages.render import render
from uploadlab.conformance.case import GRADES, Grade
from uploadlab.conformance.outputs import Outcome
from uploadlab.conformance.results import FAILED, SKIPPED, Result, summary

MEANING = {
    "must": "A failure lets a client harm the server, its files or other clients.",
    "should": "A failure misleads an honest client, or turns it away.",
    "may": "Good servers differ: shown, not judged.",
}
COLUMNS = [Column(title=title, number=False) for title in ("case", "", "what is sent", "expected", "seen")]


def page(run: Outcome) -> str:
    """Return the page."""
    endpoint = run.endpoint
    looked = "stored files compared" if endpoint.store else "stored bytes not looked at (no --store)"
    over = f"POST {endpoint.path}, field {endpoint.field} · {run.began} · {run.seconds:.0f} s · {looked}"
    title = f"Conformance of {endpoint.name}"
    sections = [*map(_failure, run.failed), *(_every(grade, run) for grade in GRADES)]
    return render(Page(title=title, over=over, lead=f"{title}: {summary(run.results)}", sections=sections))


def _failure(result: Result) -> Section:
    case = result.case
    said = f"{case.title} ({case.source}). Expected: {result.expected}. Seen: {result.seen or 'nothing'}. {result.why}."
    blocks = [Text(text=said), Text(text="Sent:", command=result.sent), Text(text="", command=result.reproduce)]
    return Section(title=f"{result.failed_as}: {case.id}", blocks=blocks, folded=result.failed_as != "must")


def _every(grade: Grade, run: Outcome) -> Section:
    rows = [_row(result) for result in run.results if result.case.grade == grade]
    table = Table(columns=COLUMNS, rows=rows, note=MEANING[grade], wide=True)
    return Section(title=f"Every case: {grade}", blocks=[table], folded=True)


def _row(result: Result) -> list[Cell]:
    case, verdict = result.case, FAILED if result.failed_as else result.verdict
    seen = result.why if verdict == SKIPPED else result.seen
    what = Cell(text=case.title, small=case.source)
    return [
        Cell(text=case.id),
        Cell(text=verdict, strong=verdict == FAILED),
        what,
        Cell(text=result.expected),
        Cell(text=seen),
    ]

"""The page: every case, grade by grade, failures first and open, in one file without scripts."""

from __future__ import annotations

from html import escape

from uploadlab.conformance.case import GRADES
from uploadlab.conformance.outputs import Outcome
from uploadlab.conformance.results import FAILED, SKIPPED, Result, summary

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-top: 1px solid #ccc }
pre { background: #f4f4f4; padding: .6rem; white-space: pre-wrap; word-break: break-all }
.failed { color: #a00; font-weight: 600 } .passed { color: #060 } .skipped, .shown { color: #666 }
"""
MEANING = {
    "must": "A failure lets a client harm the server, its files or other clients.",
    "should": "A failure misleads an honest client, or turns it away.",
    "may": "Good servers differ: shown, not judged.",
}


def page(run: Outcome) -> str:
    """Return the page."""
    endpoint = run.endpoint
    title = f"Conformance of {escape(endpoint.name)}"
    looked = (
        "Stored files were compared byte for byte."
        if endpoint.store
        else "Stored bytes were not looked at (no --store)."
    )
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>",
        f"<p><strong>{escape(summary(run.results))}</strong>, in {run.seconds:.0f} s, {escape(run.began)}. "
        f"<code>POST {escape(endpoint.path)}</code>, field <code>{escape(endpoint.field)}</code>. {looked}</p>",
    ]
    for grade in GRADES:
        failed = [result for result in run.results if result.failed_as == grade]
        rest = [result for result in run.results if result.case.grade == grade and result.failed_as != grade]
        parts.append(f"<h2>{grade}</h2><p>{MEANING[grade]}</p>")
        parts.append("<table><tr><th>case</th><th>what is sent</th><th>expected</th><th>seen</th></tr>")
        parts += [_row(result) for result in (*failed, *rest)]
        parts.append("</table>")
    return "\n".join([*parts, "</body></html>\n"])


def _row(result: Result) -> str:
    case = result.case
    verdict = FAILED if result.failed_as else result.verdict
    cells = (
        f"<span class={verdict}>{verdict}</span><br><code>{escape(case.id)}</code>",
        f"{escape(case.title)}<br><small>{escape(case.source)}</small>",
        escape(result.expected if case.grade != "may" else ""),
        escape(result.why if verdict == SKIPPED else result.seen),
    )
    row = f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    if not result.failed_as:
        return row
    shown = " open" if result.failed_as == "must" else ""
    return (
        f"{row}<tr><td colspan=4><details{shown}><summary>{escape(result.why)}</summary>"
        f"<pre>{escape(result.sent)}</pre><p>Repeat it:</p><pre>{escape(result.reproduce)}</pre></details></td></tr>"
    )

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import altair as alt
import pytest
from handmade import ENGLISH, PORTUGUESE, RUN_COLUMNS, comparison, run, write_results
from recomputation import read_csv

from uploadlab.report import page_of, write
from uploadlab.report.page import without_paths

pytestmark = pytest.mark.xdist_group("report")
GOLDEN = Path(__file__).parents[1] / "golden" / "runs.csv"
MARKUP = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
UNWRITABLE = re.compile(r"\b(?:NaN|nan|None|inf|Infinity|undefined|null)\b")


class Rows(HTMLParser):
    """Collects the tables with a class: for each row, the text and the data value of each field."""

    def __init__(self):
        super().__init__()
        self.tables, self._table, self._row, self._field = {}, None, None, None

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if tag == "table":
            self._table = self.tables.setdefault(known.get("class", ""), [])
        elif tag == "tr" and self._table is not None:
            self._row = []
            self._table.append(self._row)
        elif tag in ("td", "th") and self._row is not None:
            self._field = {"text": "", "value": None, "title": known.get("title")}
            self._row.append(self._field)
        elif tag == "data" and self._field is not None:
            self._field["value"] = known["value"]

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._field = None
        elif tag == "table":
            self._table = self._row = None

    def handle_data(self, text):
        if self._field is not None:
            self._field["text"] += text


def tables_of(html):
    rows = Rows()
    rows.feed(html.split('id="pt"')[0])
    return rows.tables


def visible(html):
    """Return the words a reader can see or hear: text, and the attributes that are read out."""
    body = MARKUP.sub("", html.partition("<body>")[2])
    return re.sub(r"<[^>]*>", " ", body) + " ".join(re.findall(r'(?:aria-label|title|alt|data-hint)="([^"]*)"', body))


def hold_the_schema(html, *names):
    """Hold charts of a page, all where none is named, to the schema of Vega-Lite; their colours are the page's own."""
    payload = re.search(r'<script type="application/json" id="payload">(.*?)</script>', html, re.DOTALL)
    charts = json.loads(payload[1])["languages"]["en"]["charts"]
    for name in names or charts:
        alt.Root.validate({key: part for key, part in charts[name]["spec"].items() if key != "config"})


def test_every_chart_is_one_that_the_schema_of_vega_lite_allows(report):
    hold_the_schema(report.html)


def test_every_figure_of_the_run_table_is_the_one_in_the_csv_file(report):
    rows = tables_of(report.html)["raw"]
    names = [field["title"] for field in rows[0]]
    expected = {(row["cell"], row["repeat"]): row for row in read_csv(report.folder / "analysis" / "runs.csv")}
    assert set(names) == set(next(iter(expected.values())))
    assert len(rows) - 1 == len(expected)
    for row in rows[1:]:
        shown = dict(zip(names, row, strict=True))
        known = expected[shown["cell"]["text"], shown["repeat"]["text"]]
        for name, field in shown.items():
            if field["value"] is not None:
                assert field["value"] == known[name]
            elif name != "valid":
                assert field["text"].strip() in (known[name], "–")


def test_a_printed_figure_is_its_value_rounded(report):
    for row in tables_of(report.html)["raw"][1:]:
        for field in row:
            if field["value"]:
                printed = float(field["text"].partition(" without")[0].replace(",", "").replace("−", "-"))
                assert printed == pytest.approx(float(field["value"]), rel=5e-4)


def test_the_cells_show_the_means_and_intervals_of_cells_csv(report):
    rows = tables_of(report.html)["cells"][1:]
    expected = {(row["system"], row["sample"]): row for row in read_csv(report.folder / "analysis" / "cells.csv")}
    systems = {"Node.js": "node", "Tomcat": "tomcat"}
    assert len(rows) == 6
    for row in rows:
        known = expected[systems[row[0]["text"]], row[1]["text"]]
        assert row[3]["value"] == (known["mean_ms"] or None)


def test_runs_that_do_not_count_are_named_with_their_reason(report):
    rows = {row[0]["text"]: row[1]["text"] for row in tables_of(report.html)["problems"][1:]}
    assert rows == {
        "s01-local-node/03": "Planned, but not completed.",
        "s05-local-tomcat/01": (
            "The load generator used 91 % of its core; above 80 % it is the generator that was measured."
        ),
        "s10-local-node/02": "JMeter ended with exit code 1.",
    }


def test_runs_with_full_listen_queues_or_packets_sent_again_are_named_beside_them(report):
    rows = {row[0]["text"]: row[1]["text"] for row in tables_of(report.html)["events"][1:]}
    assert rows["s05-local-tomcat/01"] == (
        "listen-queue overflows: 3 (each connection is retried after 1, 3 or 7 s); retransmitted TCP segments: 12"
    )


def test_a_claim_is_shown_with_its_verdict_here_and_in_the_paper(report):
    [row] = tables_of(report.html)["claims"][1:]
    assert row[0]["text"] == "Node.js has the lower mean response time in all ten samples."
    assert any(word in row[1]["text"] for word in ("holds", "fails", "undecided"))
    assert "holds" in row[4]["text"]


def test_the_page_is_one_file_that_asks_the_network_for_nothing(report):
    html = report.html
    markup = MARKUP.sub(r"<\1>", html)
    assert not re.search(r"<(?:script|img|iframe|video|audio|source|link)\b[^>]*\b(?:src|href)=\"(?!data:)", markup)
    links = re.findall(r'<a\b[^>]*\bhref="([^"]*)"', html)
    assert {link.partition("/")[0] for link in links if not link.startswith("#")} == {"data", "charts"}
    assert "default-src 'none'" in html
    assert html.count("vegaEmbed = ") + html.count("vegaEmbed=") == 1
    assert len(html.encode()) < 5_000_000


def test_every_linked_file_lies_beside_the_page(report):
    for link in re.findall(r'<a\b[^>]*\bhref="((?:data|charts)/[^"]*)"', report.html):
        assert (report.page.parent / link).stat().st_size > 0


def test_no_folder_of_the_machine_is_on_the_page(report):
    assert str(report.folder) not in report.html
    assert str(report.folder.parent) not in report.html
    assert "/nowhere/uploads" not in report.html


def test_nothing_unwritable_is_on_the_page(report):
    assert not UNWRITABLE.search(visible(report.html))


def test_a_second_report_is_the_same_and_leaves_nothing_of_an_earlier_one(report):
    before = {path.name: path.read_bytes() for path in report.page.parent.rglob("*") if path.is_file()}
    charts = report.page.parent / "charts"
    (charts / "gone.svg").write_text("")
    (charts / "mean.svg").unlink()  # so that it is drawn again
    (charts / "cv.svg").write_text("<svg/>")
    write(report.folder)
    after = {path.name: path.read_bytes() for path in report.page.parent.rglob("*") if path.is_file()}
    assert sorted(before) == sorted(after)
    assert [name for name in before if before[name] != after[name]] == []


def test_a_chart_is_drawn_again_only_when_it_has_changed(report):
    charts = {path: path.stat().st_mtime_ns for path in (report.page.parent / "charts").iterdir()}
    write(report.folder)
    assert {path: path.stat().st_mtime_ns for path in charts} == charts


def test_names_are_text_and_never_markup(tmp_path):
    evil = "</script><b onclick=alert(1)>&\"'"
    runs = [
        run(f"s05-local-{system}", repeat, mean_ms=mean, valid="true" if repeat == "01" else "false", reason=evil)
        for system, mean in (("node", 10), ("tomcat", 20))
        for repeat in ("01", "02")
    ]
    rows = [comparison("s05-local", "mean_ms", 0.5, lo=0.4, hi=0.6, better="node", verdict="faster")]
    names = {"node": evil, "tomcat": "Tomcat"}
    folder = write_results(tmp_path / "c", runs, rows, names=names, study={"title": evil}, command=["./lab", evil])
    html = page_of(folder)
    assert "<b onclick" not in html
    assert html.count("</script>") == 4
    assert "&lt;/script&gt;&lt;b onclick=alert(1)&gt;&amp;" in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/me/results/one/runs/a/requests.jtl: line 3", "…/requests.jtl: line 3"),
        ("/campaign/runs/a/requests.jtl: line 3", "runs/a/requests.jtl: line 3"),
        ("./lab run --out /home/me/here", "./lab run --out …/here"),
        ("http://127.0.0.1:3000/getimages", "http://127.0.0.1:3000/getimages"),
        ("/dev/vda and /proc/stat, 5 of 10", "/dev/vda and /proc/stat, 5 of 10"),
        ("read/write, 3 requests/s", "read/write, 3 requests/s"),
    ],
)
def test_folders_of_the_machine_are_cut_from_texts(text, shown):
    assert without_paths(text, ["/campaign"]) == shown


def test_the_command_is_one_that_can_be_typed_also_where_a_campaign_keeps_the_path_of_a_program(tmp_path):
    given = ["run", "--set", "node.greeting=good day"]
    for program in ("./lab", "/opt/lab/uploadlab/__main__.py"):
        folder = tmp_path / str(len(program))
        write_results(folder, [run("s05-local-node", mean_ms=1)], command=[program, *given])
        assert "Command: ./lab run --set &#39;node.greeting=good day&#39;" in visible(page_of(folder)).replace(
            " <code>", ""
        ).replace(":  ", ": ")


def test_the_portuguese_page_says_what_was_compared_in_portuguese(tmp_path):
    keys = ("s05-local-node", "s05-local-tomcat")
    study = {"id": "upload", "title": "Uploads: Node.js against Apache Tomcat"}
    names = {"node": "Node.js", "tomcat": "Apache Tomcat"}
    folder = write_results(tmp_path / "c", [run(key, mean_ms=1) for key in keys], study=study, names=names)
    english, _, portuguese = visible(page_of(folder)).partition(PORTUGUESE["skip"])
    assert "Uploads: Node.js against Apache Tomcat" in english
    assert "Uploads: Node.js contra Apache Tomcat" in portuguese
    assert "against" not in portuguese


def test_the_settings_of_a_profile_hold_no_english_sentence(tmp_path):
    settings = {"title": "an answer in 15 minutes", "shortened": "The server's core is slow", "repeats": 3}
    more = {"profile": {"name": "quick", "settings": settings}}
    html = page_of(write_results(tmp_path / "c", [run("s05-local-node", mean_ms=1)], **more))
    said = visible(html)
    assert "an answer in" not in said
    assert "core is slow" not in said
    assert [re.findall(rf"<dt>{name}</dt><dd>(.*?)</dd>", html) for name in ("repeats", "shortened")] == [
        ["3", "3"],
        ["yes", "sim"],
    ]


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=lambda words: words.code)
def test_every_column_of_the_run_table_has_a_name(words):
    written = GOLDEN.read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert [name for name in (*RUN_COLUMNS, *written) if name not in words.columns] == []

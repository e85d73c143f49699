"""What the report gives to papers: the method in a paragraph, the results as a LaTeX table."""

import re
import subprocess
import unicodedata

import pytest
from campaigns import edited
from handmade import ENGLISH, PORTUGUESE, results_by_hand, run, write_results

from uploadlab.report import facts, page_of
from uploadlab.report.latex import METRICS, escaped, latex_table
from uploadlab.report.results import read_results
from uploadlab.report.sentences.answer import doubts
from uploadlab.report.sentences.method import method
from uploadlab.report.setup import setup

pytestmark = pytest.mark.xdist_group("report")
NBSP = "\u00a0"
RIG = {
    "roles": {"server": {"host": "one", "cores": [0]}, "injector": {"host": "one", "cores": [1]}},
    "server_cpu_limit_pct": 25,
    "disks": {"local": {"label": "NVMe", "filesystem": "ext4"}, "hdd": {"label": "emulated HDD", "filesystem": "ext4"}},
}
MACHINE = {"cpu": {"model": "AMD EPYC", "cores": [0, 1]}, "kernel": "6.18", "virtual_machine": "kvm"}
CELLS = ("s05-local-node", "s05-local-tomcat", "s05-hdd-node", "s05-hdd-tomcat")


def campaign(folder, **more):
    runs = [run(cell, repeat, mean_ms=10) for cell in CELLS for repeat in ("01", "02", "03")]
    facts = {"rig": RIG, "machine": MACHINE, "versions": {"lab": "abc123", "jmeter": "5.6.3"}, **more}
    return write_results(folder, runs, started_ns=1_790_000_000_123_456_789, **facts)


def paragraph(folder, words):
    results = read_results(folder)
    return method(words, results, setup(results)).replace(NBSP, " ")


def test_the_method_paragraph_says_what_campaign_json_records(tmp_path):
    text = paragraph(campaign(tmp_path / "c"), ENGLISH)
    assert text.startswith(
        "Node.js and Tomcat were compared on 2026-09-21 with Upload Lab abc123 (profile quick, seed 7) in 2 scenarios, "
        "3 repeats a cell, in random order, each with a fresh server process; load by Apache JMeter 5.6.3. Server and "
        "load generator ran on one machine (AMD EPYC, 2 cores, Linux 6.18, virtual machine: kvm), the server on "
        "core 0, the load generator on core 1. The server was held to 25 % of its core, which can change its "
        "steadiness and the order of the servers. Uploads were stored on: NVMe and emulated HDD."
    )


@pytest.mark.parametrize(
    ("chosen", "hypervisor", "why", "polled", "doubted"),
    [
        ("poll", "kvm", None, True, False),
        ("poll", "kvm", "this user may not write /dev/cpu_dma_latency", False, True),
        ("sleep", "kvm", None, False, True),
        ("poll", "none", "this is no virtual machine, and a core wakes up without a hypervisor", False, False),
        (None, "kvm", None, False, False),  # of a campaign that is older than the choice
    ],
)
def test_of_a_virtual_machine_the_report_says_what_idle_cores_did(chosen, hypervisor, why, polled, doubted, tmp_path):
    settings = {} if chosen is None else {"idle_cores": chosen}
    machine = MACHINE | {"virtual_machine": hypervisor, "why_idle_cores_sleep": why}
    profile = {"name": "quick", "settings": settings}
    folder = campaign(tmp_path / "c", machine=machine, profile=profile)
    assert ("Idle cores polled instead of sleeping." in paragraph(folder, ENGLISH)) == polled
    said = doubts(ENGLISH, facts.doubts(read_results(folder)))
    assert any("Idle cores slept." in one for one in said) == doubted


def compared(folder, *methods, words=ENGLISH, **more):
    """Return the paragraph of a campaign whose comparisons were made by these methods."""
    rows = [{"scenario": "s05-local", "metric": "mean_ms", "method": method} for method in methods]
    return paragraph(campaign(folder, tables={"comparisons": rows}, **more), words)


def test_the_method_paragraph_says_how_systems_were_compared_as_the_comparisons_do(tmp_path):
    within = "compared by the ratio of their figures within blocks"
    text = compared(tmp_path / "paired", "paired t", "paired t", "")
    assert within in text
    assert "differ by less than 5 % are called equal" in text
    assert "complete" not in text
    text = compared(tmp_path / "some", "paired t", "t")
    assert within in text
    assert "Where blocks are not complete, in 1 comparison, the means over unrelated runs are compared." in text
    assert within not in compared(tmp_path / "means", "t", "bootstrap")
    assert "by the ratio of their means over runs" in compared(tmp_path / "again", "t")
    assert "are called equal" not in compared(tmp_path / "none", "")


def test_of_a_campaign_that_stops_when_sure_the_method_says_so_and_how_many_blocks_there_could_be(tmp_path):
    settings = {"minutes": 15, "repeats": 3, "most_repeats": 12, "equal_margin_pct": 10}
    more = {"profile": {"name": "quick", "settings": settings}}
    text = compared(tmp_path / "c", "sequential", **more)
    assert "3 to 12 repeats a cell" in text
    assert "differ by less than 10 % are called equal" in text
    assert "until its comparisons were decided, for 15 min at most in all" in text
    assert "até que suas comparações estivessem decididas" in compared(
        tmp_path / "pt", "sequential", words=PORTUGUESE, **more
    )


def test_the_method_paragraph_is_in_portuguese_too(tmp_path):
    text = paragraph(campaign(tmp_path / "c"), PORTUGUESE)
    assert "Node.js e Tomcat foram comparados em 2026-09-21" in text
    assert (
        "O servidor foi limitado a 25 % de seu núcleo, o que pode mudar sua estabilidade e a ordem dos servidores."
        in text
    )
    assert "NVMe e emulated HDD" in text


def test_nothing_but_campaign_json_enters_the_paragraph(tmp_path):
    folder = campaign(tmp_path / "c")
    before = paragraph(folder, ENGLISH)
    table = folder / "analysis" / "runs.csv"
    table.write_text(table.read_text().replace(",true,", ",false,"))
    assert paragraph(folder, ENGLISH) == before
    with edited(folder / "campaign.json") as document:
        document["seed"] = 4242
    assert paragraph(folder, ENGLISH) == before.replace("seed 7", "seed 4242")


@pytest.mark.parametrize("limit", [None, 100, "absent"])
def test_without_a_limit_nothing_is_said_of_one(tmp_path, limit):
    rig = {name: value for name, value in RIG.items() if name != "server_cpu_limit_pct"}
    folder = campaign(tmp_path / "c", rig=rig if limit == "absent" else {**rig, "server_cpu_limit_pct": limit})
    assert "held to" not in paragraph(folder, ENGLISH)
    page = page_of(folder)
    assert "held to" not in page
    assert "foi limitado a" not in page


def test_with_a_limit_the_page_says_so_where_it_matters(tmp_path):
    page = page_of(campaign(tmp_path / "c")).replace(NBSP, " ")
    assert page.count("The server was held to 25 % of its core") == 3  # first of all, in the doubts and in the method
    assert "are those of a server held to 25 % of its cores" in page
    assert "near 25 % means that it had no more, not that it needed no more" in page
    assert page.count("O servidor foi limitado a 25 % de seu") == 3


def test_a_campaign_that_tells_nothing_still_gets_a_paragraph_without_gaps(tmp_path):
    text = paragraph(campaign(tmp_path / "c", rig=None, machine=None, versions=None), ENGLISH)
    assert not re.search(r"\bNone\b|nan|  |\{|\}| ,|\(\)", text)


def table_of(report, words):
    return (report.folder / "report" / "export" / f"results.{words.code}.tex").read_text(encoding="utf-8")


def compiled(table, folder):
    """What pdfLaTeX makes of a table in a plain article: the words of the PDF in their order, and its log."""
    document = f"\\documentclass{{article}}\n\\begin{{document}}\n{table}\\end{{document}}\n"
    (folder / "table.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    said = subprocess.run(["pdftotext", "-layout", "table.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return unicodedata.normalize("NFKC", said.stdout.decode()).split(), (folder / "table.log").read_text(
        errors="replace"
    )


def words_of(cell, name, words):
    """What a cell's rows say: system, n and figures, then the intervals that there are."""
    low_and_high = [cell.interval(metric) for metric in METRICS]
    intervals = [words.figures.span(*one, "–") for one in low_and_high if one and one[0] < one[1]]
    return [
        name,
        str(len(cell.valid_runs)),
        *(words.figures.short(cell.value(metric)) for metric in METRICS),
        *intervals,
    ]


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=lambda words: words.code)
def test_the_latex_table_compiles_and_its_pdf_has_every_figure_inside_the_page(report, words, tmp_path):
    text, log = compiled(table_of(report, words), tmp_path)
    results = read_results(report.folder)
    cells = [cell for cell in results.cells if cell.valid_runs]
    assert len(cells) == 6
    said = " ".join(text)
    for cell in cells:
        assert " ".join(words_of(cell, results.systems[cell.system].name, words)) in said
    assert words.say("table_to_cite").replace(NBSP, " ") in said
    assert not re.findall("Overfull.*|Float too large.*|LaTeX Font Warning.*", log)


def test_the_table_of_a_published_campaign_fits_on_a_page(tmp_path):
    samples = [f"s{number:02}-local" for number in range(1, 11)] + ["s05-hdd"]
    cells = [f"{sample}-{system}" for sample in samples for system in ("node", "tomcat")]
    runs = [run(cell, repeat, mean_ms=9 + int(repeat)) for cell in cells for repeat in ("01", "02", "03", "04")]
    table = latex_table(results_by_hand(tmp_path / "c", runs), PORTUGUESE)
    text, log = compiled(table, tmp_path)
    assert sum(word == "Node.js" for word in text) == sum(word == "Tomcat" for word in text) == 11
    assert not re.findall("Overfull.*|Float too large.*", log)


def test_a_stack_and_a_cv_without_the_clock_stand_below_their_figures(tmp_path):
    runs = [run("s05-local-node", repeat, mean_ms=3, cv=0.5, cv_without_clock=0.25) for repeat in ("01", "02")]
    table = latex_table(results_by_hand(tmp_path / "c", runs, names={"node": "Node.js (paper-2016)"}), ENGLISH)
    text, _ = compiled(table, tmp_path)
    assert "In italics: the CV without what JMeter's clock" in " ".join(text).replace("’", "'")
    row = text.index("Node.js")
    assert text[row + 1] == "2"
    assert row < text.index("(paper-2016)") < text.index("0.250")


def test_no_text_becomes_a_command_of_latex():
    assert escaped(r"50 % of a_b & {c} \d") == r"50 \% of a\_b \& \{c\} \textbackslash{}d"


def test_one_repeat_is_not_called_repeats(tmp_path):
    runs = [run("s05-local-node", mean_ms=10), run("s05-local-tomcat", mean_ms=10)]
    both, alone = write_results(tmp_path / "both", runs), write_results(tmp_path / "alone", runs[:1])
    for folder in (both, alone):
        assert ", 1 repeat a cell, in random order" in paragraph(folder, ENGLISH)
        assert ", 1 repetição por célula, em ordem aleatória" in paragraph(folder, PORTUGUESE)

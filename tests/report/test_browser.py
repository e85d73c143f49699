"""The page as a reader meets it: in Chromium, by its controls."""

import csv
import io
from itertools import combinations
from types import SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from handmade import comparison, run, write_results
from playwright.sync_api import expect
from recomputation import read_csv

from uploadlab.report import write

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("report")]

ALWAYS = {"mean", "cv", "cpu", "switches", "percentiles", "timeline", "sizes", "variance"}
expect.set_options(timeout=30_000)  # a busy machine may take long to draw


class Visit:
    """An opened page with all that it said and asked for."""

    def __init__(self, browser, report, *, language="en", **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{report.page.as_uri()}#{language}-answer")
        self.page.wait_for_function(f"document.documentElement.dataset.drawn === '{language}'")
        self.article = self.page.locator(f"#{language}")

    def figure(self, chart):
        return self.article.locator(f'[data-figure="{chart}"]')

    def marks(self, chart, kind):
        """Return the marks of a kind (point, line mark, rule mark ...)."""
        return self.figure(chart).locator(f'svg [aria-roledescription="{kind}"]')


@pytest.fixture(scope="module")
def visit(browser, report):
    """The English page at 1400 px; tests that share it only use controls of their own."""
    visit = Visit(browser, report, viewport={"width": 1400, "height": 900})
    yield visit
    visit.context.close()


@pytest.fixture(scope="module")
def portuguese(browser, report):
    """The Portuguese page, as wide."""
    visit = Visit(browser, report, language="pt", viewport={"width": 1400, "height": 900})
    yield visit
    visit.context.close()


@pytest.fixture(scope="module")
def four_systems(tmp_path_factory):
    """The report of two servers, each on two stacks, whose names are long."""
    names = {"node": "Node.js (current)", "tomcat": "Apache Tomcat (current)"}
    names |= {"node@paper-2016": "Node.js (paper-2016)", "tomcat@paper-2016": "Apache Tomcat (paper-2016)"}
    runs = [
        run(f"s05-local-{key}", repeat, mean_ms=10 + number, cv=0.5, pswitch_per_s=1000, system=key)
        for number, key in enumerate(names)
        for repeat in ("01", "02", "03")
    ]
    folder = write_results(tmp_path_factory.mktemp("four") / "c", runs, names=names)
    return SimpleNamespace(folder=folder, page=write(folder))


@pytest.mark.parametrize("width", [1280, 390])
def test_the_names_of_four_systems_stand_whole_in_the_legend_whatever_the_width(browser, four_systems, width):
    visit = Visit(browser, four_systems, viewport={"width": width, "height": 900})
    for chart in ("mean", "cv"):
        frame = visit.figure(chart).locator("svg").bounding_box()
        names = visit.figure(chart).locator("svg .role-legend-label text")
        assert names.all_text_contents() == [
            "Node.js (current)",
            "Apache Tomcat (current)",
            "Node.js (paper-2016)",
            "Apache Tomcat (paper-2016)",
        ]
        for name in names.all():
            box = name.bounding_box()
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
    assert "better than every other" in " ".join(visit.article.locator(".answer .note").all_inner_texts())
    assert visit.article.locator("table.ranks tbody tr").count() == len(names.all())
    visit.context.close()


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The report of five samples, one comparison open, and of three that check them."""
    metrics = ("mean_ms", "p99_ms", "cv", "server_cpu_us_per_request")
    scenarios = [f"s{sample:02}-local" for sample in (1, 3, 5, 7, 10)] + [
        f"s{sample:02}-tmpfs" for sample in (1, 5, 10)
    ]
    runs = [
        run(f"{scenario}-{system}", **dict.fromkeys(metrics, value))
        for scenario in scenarios
        for system, value in (("node", 20.0), ("tomcat", 30.0))
    ]
    wins = {"lo": 0.5, "hi": 0.9, "verdict": "faster", "better": "node"}
    still = {"lo": 0.5, "hi": 1.1, "more_repeats": 3}
    rows = [
        comparison(scenario, metric, 0.66, **(still if (scenario, metric) == ("s03-local", "mean_ms") else wins))
        for scenario in scenarios
        for metric in metrics
    ]
    levels = {"disk": ["local", "tmpfs"]}
    folder = write_results(tmp_path_factory.mktemp("checked") / "c", runs, rows, levels=levels, check_factors=["disk"])
    return SimpleNamespace(folder=folder, page=write(folder))


def test_who_wins_what_by_how_much_whether_the_check_agrees_and_what_stays_open_are_on_the_first_screen(
    browser, checked
):
    visit = Visit(browser, checked, viewport={"width": 1400, "height": 900})
    for answer in ("mean_ms", "p99_ms", "cv", "server_cpu_us_per_request", "check", "open"):
        box = visit.article.locator(f'[data-answer="{answer}"]').bounding_box()
        assert box["y"] + box["height"] <= 900, answer
    assert "and they agree" in visit.article.locator('[data-answer="check"]').inner_text()
    visit.context.close()


def table(report, name):
    return read_csv(report.folder / "report" / "data" / f"{name}.csv")


def stays_within(visit, width):
    """Hold that the page is as wide as its window, and no chart wider than its room."""
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    for chart in ALWAYS:
        plot = visit.figure(chart).locator(".plot")
        room = plot.evaluate("plot => plot.getBoundingClientRect().right")
        drawn = plot.locator("svg").first.evaluate("svg => svg.getBoundingClientRect().right")
        assert drawn <= room + 1, chart


def test_every_chart_is_drawn_in_its_room_and_nothing_is_complained_of_or_fetched(visit, report):
    stays_within(visit, 1400)
    charts = visit.article.locator("[data-figure]").evaluate_all("all => all.map((one) => one.dataset.figure)")
    assert set(charts) >= ALWAYS
    for chart in charts:
        drawn = visit.figure(chart).locator("svg .role-mark path, svg .role-mark line, svg .role-mark text")
        assert drawn.count() > 3, chart
    assert visit.said == []
    assert {url.partition(":")[0] for url in visit.asked if url.partition("#")[0] != report.page.as_uri()} <= {
        "data",
        "blob",
    }


def test_the_marks_are_at_the_figures_of_the_data(visit, report):
    cells = [row for row in table(report, "mean") if row["kind"] == "cell"]
    assert visit.marks("mean", "rule mark").count() == sum(1 for row in cells if row["lo"])
    runs = [row for row in table(report, "mean") if row["kind"] == "valid"]
    assert visit.marks("mean", "point").count() == len(cells) + len(runs)


def test_runs_that_do_not_count_appear_when_asked_for(visit, report):
    before = visit.marks("mean", "point").count()
    visit.figure("mean").get_by_label("Show the runs that don't count").check()
    invalid = sum(1 for row in table(report, "mean") if row["kind"] == "invalid")
    assert invalid == 1
    expect(visit.marks("mean", "point")).to_have_count(before + invalid)


def test_another_sample_changes_the_percentile_curve_and_its_sentence(visit):
    figure = visit.figure("percentiles")
    sentence = figure.locator(".seen p:visible")
    expect(sentence).to_have_count(1)
    assert sentence.inner_text().startswith("Sample 5:")
    line = visit.marks("percentiles", "line mark").first
    before = line.get_attribute("aria-label")
    figure.locator("select").select_option("s10-local")
    expect(line).not_to_have_attribute("aria-label", before)
    assert sentence.inner_text().startswith("Sample 10:")


def test_hiding_the_repeats_leaves_one_curve_a_system(visit):
    visit.figure("percentiles").get_by_label("Show each repeat").uncheck()
    expect(visit.marks("percentiles", "line mark")).to_have_count(2)


def test_another_run_and_a_moment_are_read_out(visit, report):
    figure = visit.figure("timeline")
    figure.locator("select").select_option("s05-local-tomcat/01")
    sentence = figure.locator(".seen p:visible").inner_text()
    assert sentence.startswith("Tomcat, sample 5, repeat 01 (invalid):")
    assert "it is the generator that was measured" in sentence
    slider = figure.locator("input[type=range]")
    slider.focus()
    first = int(slider.get_attribute("min"))
    for _ in range(7):
        slider.press("ArrowRight")
    wanted = ("s05-local-tomcat/01", str(first + 7))
    [row] = [row for row in table(report, "timeline") if (row["run"], row["second"]) == wanted]
    reading = figure.locator(".reading").inner_text()
    assert reading.startswith(f"{first + 7} s: mean, ms {float(row['mean_ms']):.3g}")


def test_the_line_of_the_moment_stands_in_every_panel_at_its_second(visit):
    figure = visit.figure("timeline")
    slider = figure.locator("input[type=range]")

    def lines():
        return figure.locator("svg [class*=ink_moment] line").evaluate_all(
            "all => all.map((line) => [line.getAttribute('opacity'), line.getBoundingClientRect().x])"
        )

    figure.locator("select").select_option("s05-local-node/02")
    assert all(float(opacity) == 0 for opacity, _ in lines())
    slider.focus()
    places = []
    for presses in (6, 3):
        for _ in range(presses):
            slider.press("ArrowRight")
        visit.page.wait_for_timeout(200)
        assert len(lines()) == 7
        assert all(opacity in (None, "1") for opacity, _ in lines())
        assert len({round(x) for _, x in lines()}) == 1
        places.append(lines()[0][1])
    box = figure.locator("svg").first.bounding_box()
    assert box["x"] < places[0] < places[1] < box["x"] + box["width"]


def test_the_run_table_is_filtered_and_sorted_by_its_controls(visit):
    rows = visit.article.locator(".raw tbody tr:visible")
    every = rows.count()
    filters = visit.article.locator("[data-filters]")
    filters.locator("[data-filter=system]").select_option("tomcat")
    assert rows.count() == 9
    filters.locator("[data-filter=valid]").check()
    assert rows.count() == 8
    assert filters.locator("output").inner_text() == "8 runs shown"
    filters.locator("[data-filter=system]").select_option("")
    filters.locator("[data-filter=valid]").uncheck()
    assert rows.count() == every
    heading = visit.article.locator('.raw th[title="mean_ms"]')
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    place = heading.evaluate("heading => [...heading.parentElement.children].indexOf(heading)")
    values = rows.evaluate_all(
        "(rows, place) => rows.map((row) => row.children[place].querySelector('data')).filter(Boolean)"
        ".map((data) => Number(data.value))",
        place,
    )
    assert values == sorted(values)
    assert len(values) >= every - 1


def test_the_language_switch_shows_the_same_page_in_portuguese_and_a_reload_stays_in_it(browser, report):
    visit = Visit(browser, report)
    visit.article.get_by_role("button", name="Português").click()
    visit.page.wait_for_function("document.documentElement.dataset.drawn === 'pt'")
    assert visit.page.evaluate("document.documentElement.lang") == "pt"
    portuguese = visit.page.locator("#pt")
    expect(portuguese.get_by_role("heading", name="A resposta")).to_have_count(0)
    expect(portuguese.get_by_role("heading", name="Tempo médio de resposta")).to_be_visible()
    expect(visit.page.locator("#en")).to_be_hidden()
    axis = portuguese.locator('[data-figure="mean"] svg').text_content()
    assert "tempo médio de resposta, ms" in axis
    visit.page.reload()
    visit.page.wait_for_function("document.documentElement.dataset.drawn")
    expect(portuguese).to_be_visible()
    expect(visit.page.locator("#en")).to_be_hidden()
    assert visit.said == []
    visit.context.close()


def test_downloads_work_from_the_page_alone(browser, report, tmp_path):
    alone = tmp_path / "alone.html"
    alone.write_text(report.html, encoding="utf-8")
    visit = Visit(browser, type(report)(folder=report.folder, page=alone), accept_downloads=True)
    for name, begins in (("mean.csv", b"kind,"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with visit.page.expect_download() as started:
            visit.figure("mean").get_by_role("link", name=name).click()
        content = started.value.path().read_bytes()
        assert content.startswith(begins)
        if name == "mean.csv":
            beside = (report.page.parent / "data" / "mean.csv").read_text()
            assert list(csv.reader(io.StringIO(content.decode()))) == list(csv.reader(io.StringIO(beside)))
    visit.context.close()


def test_a_narrow_page_does_not_scroll_sideways(browser, report):
    visit = Visit(browser, report, viewport={"width": 400, "height": 900})
    stays_within(visit, 400)
    visit.context.close()


def test_charts_follow_the_window(visit):
    visit.page.set_viewport_size({"width": 600, "height": 900})
    for chart in ("mean", "timeline"):
        visit.page.wait_for_function(
            "chart => { const plot = document.querySelector(`#en [data-figure=${chart}] .plot`);"
            " const svg = plot.querySelector('svg');"
            " return Math.abs(svg.width.baseVal.value - plot.clientWidth) < 40; }",
            arg=chart,
        )


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("pt", "dark")])
def test_axe_finds_no_accessibility_error(browser, report, language, scheme):
    visit = Visit(browser, report, language=language, color_scheme=scheme, bypass_csp=True)
    # what is drawn is hidden from screen readers, who get the figure's heading and sentence instead
    found = Axe().run(visit.page, context={"exclude": [".plot svg"]})
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found.response["violations"]] == []
    visit.context.close()


def test_the_dark_page_is_dark_with_its_charts(visit):
    inks = {}
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        inks[scheme] = (
            visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"),
            visit.figure("mean").locator("svg text").first.evaluate("text => getComputedStyle(text).fill"),
        )
    assert inks["light"][0] != inks["dark"][0]
    assert inks["light"][1] != inks["dark"][1]


def test_a_page_without_javascript_still_answers(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.page.as_uri())
    expect(page.locator("#en h1")).to_be_visible()
    expect(page.get_by_text("The charts need JavaScript.").first).to_be_visible()
    context.close()


def test_it_prints_on_paper(visit):
    visit.page.emulate_media(color_scheme="dark")
    assert visit.page.pdf(format="A4").startswith(b"%PDF")
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    expect(visit.figure("mean").locator("svg")).to_be_visible()
    expect(visit.figure("percentiles").locator("select")).to_be_hidden()
    visit.page.emulate_media(media="screen", color_scheme="light")


def test_a_link_to_a_section_of_the_portuguese_page_leads_there(browser, report):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{report.page.as_uri()}#pt-claims")
    page.wait_for_function("document.documentElement.dataset.drawn === 'pt'")
    expect(page.locator("#pt-claims h2").first).to_be_in_viewport()
    page.close()


A4_PX = 718
"""The width of a sheet of A4 without margins of 10 mm."""


@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_cell_in_numbers_fits_on_paper_and_its_caption_on_the_screen(visit, portuguese, language):
    visit = {"en": visit, "pt": portuguese}[language]
    visit.page.set_viewport_size({"width": 1400, "height": 900})
    caption = visit.article.locator("table.cells caption")
    assert caption.evaluate("one => { one.firstChild.data += ' word'.repeat(120); return one.offsetWidth }") <= 1400
    visit.page.set_viewport_size({"width": A4_PX, "height": 1000})
    visit.page.emulate_media(media="print")
    table = visit.article.locator("table.cells")
    assert table.evaluate("one => one.offsetWidth <= one.parentElement.clientWidth")
    visit.page.emulate_media(media="screen")


def test_a_heading_of_the_first_table_is_not_broken_within_a_word_on_a_telephone(portuguese):
    portuguese.page.set_viewport_size({"width": 390, "height": 800})
    heading = portuguese.article.locator("table.who th").first
    assert (
        heading.evaluate(
            "one => { const text = document.createRange(); text.selectNodeContents(one.firstChild);"
            " return text.getClientRects().length }"
        )
        == 1
    )


@pytest.fixture(scope="module")
def close_together(tmp_path_factory):
    """The report of points that lie close together."""
    cells = {1: (1000, 0.5), 2: (3000, 0.9), 3: (3040, 0.91), 5: (2980, 0.89), 6: (4000, 0.2), 10: (4050, 0.2)}
    runs = [
        run(f"s{sample:02}-local-{system}", mean_ms=20, pswitch_per_s=rate + more, cv=cv)
        for sample, (rate, cv) in cells.items()
        for system, more in (("node", 0), ("tomcat", 30))
    ]
    return SimpleNamespace(page=write(write_results(tmp_path_factory.mktemp("close") / "c", runs)))


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_labels_of_points_that_lie_close_together_do_not_cover_each_other(browser, close_together, width):
    visit = Visit(browser, close_together, viewport={"width": width, "height": 900})
    labels = visit.figure("switches").locator("svg .role-mark.mark-text text").all()
    boxes = [label.bounding_box() for label in labels]
    assert len(boxes) > 6
    for one, other in combinations(boxes, 2):
        apart_x = abs(one["x"] + one["width"] / 2 - other["x"] - other["width"] / 2)
        apart_y = abs(one["y"] - other["y"])
        assert apart_x >= (one["width"] + other["width"]) / 2 - 0.5 or apart_y >= 0.7 * one["height"]
    visit.context.close()

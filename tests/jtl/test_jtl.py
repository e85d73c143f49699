"""`./lab jtl`: files of every kind that JMeter writes, each against figures computed by hand."""

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pytest
from test_jtl_server import recording

from uploadlab.analysis.__main__ import main
from uploadlab.errors import LabError
from uploadlab.jtl.analysis import JtlAnalysis, analyse
from uploadlab.jtl.comparison import BLOCKS, interval, judged
from uploadlab.jtl.figures import label_of
from uploadlab.jtl.result_file import ReadingOptions

REAL = Path(__file__).parent / "data"
HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,sentBytes,Latency,Connect"
T0 = 1790000000000


def row(start: int, elapsed: int, label: str = "Home", *, ok: bool = True, message: str = "OK", thread: str = "u 1-1"):
    return f"{T0 + start},{elapsed},{label},200,{message},{thread},{'true' if ok else 'false'},388,1000,{elapsed},0"


def transaction(start: int, elapsed: int, label: str = "Buy", *, samples: int = 2) -> str:
    message = f'"Number of samples in transaction : {samples}, number of failing samples : 0"'
    return row(start, elapsed, label, message=message)


ROWS = (row(0, 100), row(0, 300, "Login"), row(1500, 200, ok=False))


def write(path: Path, *lines: str, end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode())
    return path


def analysed(*paths: Path, **options: object) -> JtlAnalysis:
    return analyse(paths, ReadingOptions(**options), None, None)  # type: ignore[arg-type]


def whole(path: Path, **options: object):
    return analysed(path, **options).files[0].summary[0]


def noted(path: Path) -> tuple[str, ...]:
    return analysed(path).files[0].notes


@pytest.mark.parametrize(
    ("name", "n", "errors", "mean", "sd", "p50", "p99", "received"),
    [
        ("csv-taurus-hostname-500s.jtl", 599, 63, 804.4007, 761.3294, 490, 3201, 16227306),
        ("csv-tab-delimited.jtl", 4, 0, 456.25, 368.2647, 268, 1008, 4900316),
        ("csv-embedded-newlines-quotes.jtl", 2, 1, 1008.0, 1258.6501, 118, 1898, 21153),
        ("xml-udp-errors.jtl", 174, 174, 10004.2989, 20.8696, 10000, 10149, 100920),
    ],
)
def test_real_files_have_the_figures_that_others_computed(name, n, errors, mean, sd, p50, p99, received):
    found = whole(REAL / name)
    assert (found["requests"], found["errors"], found["received_bytes"]) == (n, errors, received)
    assert found["mean_ms"] == pytest.approx(mean, abs=1e-3)
    assert found["sd_ms"] == pytest.approx(sd, abs=1e-3)
    assert found["cv"] == pytest.approx(sd / mean, abs=1e-5)
    assert (found["p50_ms"], found["p99_ms"]) == (p50, p99)


def test_each_label_has_its_own_figures_and_gaps(tmp_path):
    first, home, login = analysed(write(tmp_path / "r.jtl", HEADER, *ROWS, row(9000, 100, "Login"))).files[0].summary
    assert first["throughput_rps"] == pytest.approx(4 / 9.1)
    # Requests ended in the seconds 0, 0, 1 and 9: seven seconds in a row saw no end.
    assert (first["gap_s"], first["longest_gap_s"]) == (7, 7)
    assert (home["label"], home["requests"], home["errors"], home["longest_gap_s"]) == ("Home", 2, 1, 0)
    assert (login["label"], login["mean_ms"], login["longest_gap_s"]) == ("Login", 200.0, 8)


def test_percentiles_are_those_of_all_rows_by_nearest_rank(tmp_path):
    found = whole(
        write(tmp_path / "r.jtl", HEADER, *(row(place, 1 + 7919 * place % 10_000) for place in range(10_000)))
    )
    names = ("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "p9999_ms", "max_ms")
    assert [found[name] for name in names] == [5000, 9000, 9500, 9900, 9990, 9999, 10_000]


def test_gzip_latin_1_utf_16_and_mixed_line_ends_are_read(tmp_path):
    text = "\n".join((HEADER, *ROWS, row(0, 200, "Größe"))) + "\n"
    files = {
        "plain": text.encode(),
        "packed": gzip.compress(text.encode()),
        "latin": text.encode("latin-1"),
        "utf-16": text.encode("utf-16"),
        "mixed": text.encode().replace(b"\n", b"\r\n", 2),
        "windows": text.encode().replace(b"\n", b"\r\n"),
        "marked": b"\xef\xbb\xbf" + text.encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        summary = analysed(tmp_path / name).files[0].summary
        assert summary[0]["mean_ms"] == 200, name
        assert "Größe" in [one["label"] for one in summary], name
    assert "LATIN-1" in noted(tmp_path / "latin")[0]


@pytest.mark.parametrize("cut", [row(2000, 900)[:-1], f'{T0},5,"two\nlines\nand'], ids=["in a column", "in quotes"])
def test_a_cut_last_record_is_kept_out_and_said(tmp_path, cut):
    path = write(tmp_path / "r.jtl", HEADER, *ROWS)
    path.write_bytes(path.read_bytes() + cut.encode())
    assert whole(path)["requests"] == 3
    assert "left out" in noted(path)[0]


def test_any_delimiter_and_any_columns_will_do(tmp_path):
    assert whole(write(tmp_path / "a", "label^elapsed^success", "x^5^true", "x^7^false"))["errors"] == 1
    assert whole(write(tmp_path / "b", "timeStamp,elapsed", f"{T0},5"))["errors"] is None
    untimed = whole(write(tmp_path / "c", "elapsed,label", "5,x"))
    assert untimed["throughput_rps"] is None


def test_columns_without_a_header_are_given_where_they_cannot_be_known(tmp_path):
    line = f"{T0},162,Home,200,OK,u 1-1,text,true,12953,1,1,162,1,0"  # JMeter 2 with SampleCount and ErrorCount
    path = write(tmp_path / "r.jtl", line)
    with pytest.raises(LabError, match="--columns"):
        whole(path)
    names = (
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,grpThreads,allThreads,"
        "Latency,SampleCount,ErrorCount"
    )
    assert whole(path, columns=names.split(","))["received_bytes"] == 12953


@pytest.mark.parametrize(
    "stamp", ["2026/09/21 14:13:20.500", "2026-09-21T14:13:20.500", "2026-09-21 14:13:20", "09/21/26 14:13:20"]
)
def test_times_written_as_dates_are_read(tmp_path, stamp):
    found = analysed(write(tmp_path / "r.jtl", "timeStamp,elapsed,label,success", f"{stamp},100,Home,true")).files[0]
    assert found.begin_us == (T0 + (500 if "." in stamp else 0)) * 1000
    assert found.dated


@pytest.mark.parametrize(
    ("value", "column"),
    [
        ("1.5", "elapsed"), ("1.234", "elapsed"), ("0x10", "elapsed"), ("1e3", "elapsed"), ("-1", "elapsed"),
        ("007", "elapsed"), (" 7", "elapsed"), ("9223372036854775807", "elapsed"), ("9223372036854775808", "elapsed"),
        ("", "elapsed"), ("9223372036854775807", "timeStamp"), ("-5", "timeStamp"), ("soon", "timeStamp"),
        ("yes", "success"), ("1", "success"), ("", "success"), ("1.5", "bytes"), ("99999999999999999999", "sentBytes"),
        ("0.5", "Latency"),
    ],
)  # fmt: skip
def test_a_figure_that_is_none_is_refused_with_file_line_and_column(tmp_path, value, column):
    names = HEADER.split(",")
    fields = ROWS[1].split(",")
    fields[names.index(column)] = value
    path = write(tmp_path / "r.jtl", HEADER, ROWS[0], ",".join(fields), ROWS[2])
    with pytest.raises(LabError) as error:
        whole(path)
    assert str(error.value).startswith(f"{path}, line 3, column {column}: expected")
    assert "\n" not in str(error.value)


def test_a_finer_clock_beside_jmeters_columns_counts(tmp_path):
    path = write(
        tmp_path / "r.jtl", "timeStamp,elapsed,label,success,start_us,elapsed_us",
        f"{T0},0,Home,true,{T0}250,250", f"{T0},1,Home,true,{T0}300,1750",
    )  # fmt: skip
    found = whole(path)
    assert (found["min_ms"], found["mean_ms"], found["max_ms"]) == (0.25, 1.0, 1.75)


def test_a_transaction_is_not_counted_beside_its_requests(tmp_path):
    path = write(tmp_path / "r.jtl", HEADER, row(0, 100), row(100, 300), transaction(0, 400))
    summary = analysed(path).files[0].summary
    assert (summary[0]["requests"], summary[0]["mean_ms"]) == (2, 200.0)
    assert [(one["label"], one["kind"]) for one in summary[1:]] == [("Home", "request"), ("Buy", "transaction")]
    assert "Buy" in noted(path)[0]


def test_a_transaction_called_like_the_request_in_it_is_told_apart_from_it_everywhere(tmp_path):
    lines = [line for n in range(400) for line in (transaction(100 * n, 1000, "Home", samples=1), row(100 * n, 100))]
    found = analysed(*(write(tmp_path / name, HEADER, *lines) for name in ("a.jtl", "b.jtl")))
    kinds = ["all", "request", "transaction"]
    compared = [[one[name] for name in ("kind", "label", "mean_ms_before", "mean_ratio")] for one in found.comparison]
    assert compared == [["all", "", 100, 1], ["request", "Home", 100, 1], ["transaction", "Home", 1000, 1]]
    ends = {
        (one["kind"], one["quantile"]): one["elapsed_ms"]
        for one in found.figures["percentiles"]
        if one["quantile"] in ("0", "1") and one["file"] == found.files[0].name
    }
    took = {"all": 100, "request": 100, "transaction": 1000}
    assert ends == {(kind, quantile): took[kind] for kind in kinds for quantile in ("0", "1")}
    assert [label_of(one) for one in found.comparison] == ["All requests", "Home", "Home (transaction)"]


def test_a_transaction_without_its_requests_is_one_request(tmp_path):
    path = write(tmp_path / "r.jtl", HEADER, transaction(0, 400), row(0, 100, thread="u 1-2"))
    assert whole(path)["requests"] == 2


@pytest.mark.parametrize("missing", ["timeStamp", "threadName"])
def test_without_times_or_threads_transactions_are_listed_apart_and_that_is_said(tmp_path, missing):
    place = HEADER.split(",").index(missing)
    lines = [HEADER, row(0, 400), row(400, 400), transaction(0, 800)]
    fields = [line.replace(", number", " number").split(",") for line in lines]
    cut = [",".join(line[:place] + line[place + 1 :]) for line in fields]
    path = write(tmp_path / "r.jtl", *cut)
    assert (whole(path)["requests"], whole(path)["mean_ms"]) == (2, 400)
    assert noted(path)[0].startswith(f"The file has no {missing}: whether the requests inside transactions are in it")
    assert whole(write(tmp_path / "alone.jtl", cut[0], cut[3]))["requests"] == 1


def test_epoch_seconds_are_refused(tmp_path):
    rows = [row(1000 * second, 100).replace(f"{T0 + 1000 * second}", f"{T0 // 1000 + second}") for second in range(9)]
    with pytest.raises(LabError, match=r"r\.jtl, column timeStamp: .* 1790000008, .*epoch seconds"):
        whole(write(tmp_path / "r.jtl", HEADER, *rows))


def test_rows_that_stand_for_many_requests_are_refused(tmp_path):
    with pytest.raises(LabError, match="SampleCount"):
        whole(write(tmp_path / "r.jtl", "timeStamp,elapsed,SampleCount", f"{T0},5000,10"))


XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<httpSample t="100" lt="90" ts="{T0}" s="true" lb="Home &amp; more" rc="200" rm="OK" tn="u 1-1" by="388" sby="1000">
  <httpSample t="60" lt="50" ts="{T0}" s="true" lb="picture" rc="200" rm="OK" tn="u 1-1" by="10"/>
</httpSample>
<sample t="400" ts="{T0}" s="true" lb="Buy" rm="Number of samples in transaction : 1, number of failing" tn="u 1-2">
  <httpSample t="300" lt="90" ts="{T0}" s="false" lb="Pay" rc="500" rm="no" tn="u 1-2" by="388"><assertionResult/>
  </httpSample>
</sample>
"""


def test_xml_counts_requests_inside_transactions_and_no_parts_of_requests(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(XML + "</testResults>\n")
    summary = analysed(path).files[0].summary
    assert (summary[0]["requests"], summary[0]["mean_ms"], summary[0]["errors"]) == (2, 200.0, 1)
    assert {one["label"] for one in summary[1:]} == {"Home & more", "Buy", "Pay"}
    assert any(sentence.startswith("1 samples inside") for sentence in noted(path))


def test_xml_that_is_cut_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(XML + '<httpSample t="1" ts="')
    assert whole(path)["requests"] == 2
    assert any("ends before" in sentence for sentence in noted(path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><testResults>&a;</testResults>', "line 1: a document type is declared"),
        ("<html><body/></html>", "line 1: <html>; expected"),
        ('<testResults>\n<sample t="1.5" ts="1" s="true"/></testResults>', "line 2, attribute t: expected a whole"),
        ('<testResults>\n<sample t="1" ts="1" s="perhaps"/></testResults>', "line 2, attribute s: expected true"),
        ("<testResults>\n<sample></testResults>", "line 2"),
        ("<testResults></testResults>", "holds no sample"),
    ],
)
def test_xml_that_is_no_result_is_refused_in_one_sentence(tmp_path, text, sentence):
    path = tmp_path / "r.xml"
    path.write_text(text)
    with pytest.raises(LabError) as error:
        whole(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"BZh91AY", "compressed with bzip2"),
        (b"\x1f\x8b\x08nonsense", "gzip"),
        (HEADER.encode() + b"\n", "no request"),
    ],
)
def test_files_that_hold_nothing_are_named(tmp_path, content, sentence):
    (tmp_path / "r.jtl").write_bytes(content)
    with pytest.raises(LabError, match=sentence):
        whole(tmp_path / "r.jtl")


def load(path: Path, mean: float, seed: int, *, drift: float = 0.0) -> Path:
    generator = np.random.default_rng(seed)
    starts = np.arange(6000) * 10  # a minute, a hundred a second
    times = np.maximum(1, generator.normal(mean + drift * starts / 60_000, mean / 10, 6000)).astype(int)
    lines = [row(start, elapsed) for start, elapsed in zip(starts.tolist(), times.tolist(), strict=True)]
    return write(path, HEADER, *lines)


def test_two_files_are_compared_with_an_interval_over_blocks_of_time(tmp_path):
    found = analysed(load(tmp_path / "a", 100, 1), load(tmp_path / "b", 120, 2)).comparison[0]
    assert found["mean_ratio"] == pytest.approx(1.2, abs=0.01)
    assert found["mean_ratio_lo"] < 1.2 < found["mean_ratio_hi"] < 1.25
    assert found["blocks"] == 20


def test_no_interval_is_given_where_blocks_do_not_tell(tmp_path):
    steady = load(tmp_path / "a", 100, 1)
    drifting = analysed(steady, load(tmp_path / "b", 100, 2, drift=100)).comparison[0]
    assert (drifting["no_interval"], drifting.get("mean_ratio_lo")) == ("drift", None)
    short = analysed(steady, write(tmp_path / "c", HEADER, *ROWS)).comparison[0]
    assert short["no_interval"] == "short"


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says():
    generator = np.random.default_rng(1)
    covered, given = 0, 0
    for _ in range(400):
        sides = []
        for mean in (100.0, 120.0):
            counts = generator.poisson(300, BLOCKS).astype(np.float64)
            sides.append(judged(counts, counts * generator.normal(mean, 5, BLOCKS), 10.0))
        found = interval(sides[0], sides[1], sides[1].mean / sides[0].mean)
        if "mean_ratio_lo" in found:
            given += 1
            covered += found["mean_ratio_lo"] <= 1.2 <= found["mean_ratio_hi"]
    assert given > 360  # independent blocks are taken for drifting ones in about 2 of 100 pairs
    assert 0.92 <= covered / given <= 0.98


def nmon(path: Path, busy: list[float], *, ahead_s: int = 0) -> Path:
    begin = datetime.fromtimestamp(T0 // 1000 - 1 + ahead_s, UTC)
    return recording(path, [begin + timedelta(seconds=5 * place) for place in range(len(busy))], busy)


def following(path: Path) -> tuple[Path, list[float]]:
    """Write a minute of load whose response time is ten times the server's CPU share; return that share too."""
    busy = [20.0, *(float(value) for value in np.random.default_rng(5).permutation(np.arange(30, 54, 2)))]
    rows = [row(start, int(10 * busy[1 + start // 5000]) // 10, "Home") for start in range(0, 60_000, 50)]
    return write(path, HEADER, *rows), busy


@pytest.mark.parametrize("ahead_s", [0, 19_800, -18_000])
def test_a_recording_of_the_server_is_joined_on_one_clock(tmp_path, ahead_s):
    path, busy = following(tmp_path / "r.jtl")
    recording = nmon(tmp_path / "web1.nmon", busy, ahead_s=ahead_s)
    found = analyse([path], ReadingOptions(), recording, None)
    rows = found.server
    assert len(rows) == 12
    assert rows[0]["cpu_pct"] == busy[1]
    best = found.correlations[0]
    assert (best["y"], best["indicator"], best["n"]) == ("mean_ms", "cpu_pct", 12)
    # The recording's stamps lie a second before the load's: each snapshot holds a second of its neighbour's requests.
    assert best["pearson"] > 0.9
    assert best["lo"] < best["pearson"] < best["hi"]
    assert best["n_independent"] <= 12
    assert len(found.files[0].notes) == 1


def test_a_recording_that_does_not_belong_to_the_file_is_refused(tmp_path):
    path, busy = following(tmp_path / "r.jtl")
    with pytest.raises(LabError, match="do not overlap"):
        analyse([path], ReadingOptions(), nmon(tmp_path / "n", busy, ahead_s=100 * 86400), None)


def test_the_command_writes_a_page_and_tables_and_ends_with_the_pages_path(tmp_path, capsys):
    before, after = load(tmp_path / "before.jtl", 100, 1), load(tmp_path / "after.jtl", 120, 2)
    out = tmp_path / "out[1]"
    assert main(["jtl", str(before), str(after), "--out", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == str(out / "index.html")
    assert any("mean response time is 1.2" in line for line in printed)
    assert max(len(line) for line in printed if str(tmp_path) not in line) <= 100
    with duckdb.connect() as database:
        table = database.read_parquet(str(out / "summary.parquet").replace("[", "[[]")).fetchall()
    assert len(table) == 4
    assert main(["jtl", str(before), "--out", str(out)]) == 0  # an earlier page is written over
    assert not (out / "comparison.csv").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    assert main(["jtl", str(before), "--out", str(tmp_path / "mine")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ("label", "--columns must name elapsed, the response time.\n"),
        ("elapsed,label,elapsed", "--columns names elapsed twice.\n"),
    ],
)
def test_columns_that_cannot_be_meant_are_said_in_one_sentence(tmp_path, capsys, columns, sentence):
    path = write(tmp_path / "r.jtl", "5,Upload,5")
    assert main(["jtl", "--columns", columns, str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == sentence


@pytest.mark.slow
@pytest.mark.parametrize("with_nmon", [False, True])
def test_the_page_draws_curves_times_and_sizes_offline_without_an_error(tmp_path, drawn_page, with_nmon):
    out = tmp_path / "out"
    if with_nmon:
        path, busy = following(tmp_path / "r.jtl")
        arguments = [str(path), "--nmon", str(nmon(tmp_path / "web1.nmon", busy))]
    else:
        arguments = [str(load(tmp_path / name, mean, 1)) for name, mean in (("before.jtl", 100), ("after.jtl", 120))]
    assert main(["jtl", *arguments, "--out", str(out)]) == 0
    page = drawn_page(out / "index.html")
    names = page.locator(".drawing").evaluate_all("all => all.map((one) => one.id)")
    assert names[:2] == ["percentiles", "timeline-mean_ms"]
    assert ("timeline-cpu_pct" in names) == with_nmon
    for name in names:
        drawn = page.locator(f"#{name} svg").locator(".role-mark path, .role-mark line")
        assert drawn.count() > 0, name

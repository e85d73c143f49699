"""What `check` makes of a request file, by hand-computed answers."""

from pathlib import Path

import pytest

from upload_study.check import check
from upload_study.spec import Contract, DriverError, Factors, Load, RunSpec, ServerAddress, UploadTarget, Verified

HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage\n"


def _spec(folder: Path, *, threads: int = 2, loops: int = 2) -> RunSpec:
    (folder / "up").mkdir(exist_ok=True)
    return RunSpec(
        seed=1,
        driver=Contract(page_bytes=1, page_sha256="x"),
        factors=Factors(sample=5, disk="local"),
        load=Load(
            rows=2000,
            reader="csv_data_set",
            threads=threads,
            loops=loops,
            ramp_up_s=0,
            warmup_threads=1,
            warmup_loops=1,
        ),
        server=ServerAddress(host="127.0.0.1", port=1, upload=UploadTarget(path="/getimages", field="avatar")),
        upload_dir=folder / "up",
        verified=Verified(stored_files=1, found_files=1, gate={}),
        verified_after=Verified(stored_files=1, found_files=len([*(folder / "up").glob("*")]), gate={}),
    )


def _write(folder: Path, *rows: str) -> None:
    (folder / "requests.jtl").write_text(HEADER + "".join(row + "\n" for row in rows))


def _store(folder: Path, count: int) -> None:
    (folder / "up").mkdir(exist_ok=True)
    for number in range(count):
        (folder / "up" / str(number)).write_text("x")


MEASURED = (
    "1000,9,Warm-up upload,200,OK,true,",
    "2010,5,Upload file,200,OK,true,",
    "2000,30,Upload file,200,OK,true,",
    "2003,4,Upload file,200,OK,true,",
    "2020,1,Upload file,500,Server Error,false,bad",
)


def test_the_window_goes_from_the_first_start_to_the_last_end_without_the_warm_up(tmp_path):
    _write(tmp_path, *MEASURED)
    assert check(_spec(tmp_path), tmp_path)["phases"] == {
        "measure_start_ns": 2_000_000_000,
        "measure_end_ns": 2_030_000_000,
    }


def test_requests_errors_and_the_mean_count_measured_requests_only(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 5)
    result = check(_spec(tmp_path), tmp_path)
    counts = {"requests": 4, "errors": 1, "warmup_requests": 1, "stored_files": 5}
    assert result["counts"] == counts | {"cut_requests": 0, "cut_errors": 0}
    assert result["mean_ms"] == (5 + 30 + 4 + 1) / 4


def test_files_stored_must_equal_the_200s_with_warm_up_and_contract_uploads(tmp_path):
    _write(tmp_path, *MEASURED)
    _store(tmp_path, 6)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert gates["uploads_stored"]["passed"]
    (tmp_path / "up" / "0").unlink()
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path), tmp_path)["gates"]}
    assert not gates["uploads_stored"]["passed"]
    assert gates["uploads_stored"]["sentence"] == "5 files are stored for 6 uploads answered with 200."


def test_a_load_that_sent_fewer_requests_than_planned_is_invalid(tmp_path):
    _write(tmp_path, *MEASURED)
    gates = {gate["name"]: gate for gate in check(_spec(tmp_path, loops=3), tmp_path)["gates"]}
    assert not gates["requests_sent"]["passed"]
    assert gates["requests_sent"]["sentence"] == "JMeter sent 4 of 6 requests."


def test_a_row_with_quoted_newlines_and_commas_is_one_request(tmp_path):
    _write(tmp_path, *MEASURED[:4], '2020,1,Upload file,500,"Server\n""Error"", bad",false,"two\nlines"')
    assert check(_spec(tmp_path), tmp_path)["counts"]["requests"] == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (HEADER, "it has no request labelled 'Upload file'"),
        ("timeStamp,label\n1,x\n", "line 1: the column 'elapsed' is missing"),
        (HEADER + "1000,9,Upload file,200,OK,true,\n1000,9,Uplo", "line 3: the row is cut off"),
    ],
)
def test_a_damaged_request_file_is_named_with_its_line(tmp_path, content, sentence):
    (tmp_path / "requests.jtl").write_text(content)
    with pytest.raises(DriverError, match=sentence):
        check(_spec(tmp_path), tmp_path)


def test_a_missing_request_file_is_named(tmp_path):
    with pytest.raises(DriverError, match=r"requests\.jtl: cannot be read"):
        check(_spec(tmp_path), tmp_path)

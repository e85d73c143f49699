import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from workload_gen.cli import EXIT_DONE, EXIT_NOT_DONE, main
from workload_gen.lists.model_file import read_model

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def lab_sizes(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def folders(root):
    return sorted(p.name for p in Path(root).iterdir() if not p.name.startswith("."))


def test_generate_prints_the_disk_needed_before_what_was_made(lab_sizes):
    code, out, err = lab_sizes("generate", "--sample", 3, "--count", 40, "--out", "o")
    assert code == EXIT_DONE
    assert re.search(r"Making o/sample-03-n40-seed1: 40 sizes, \d+ payloads, [\d.]+ kB of disk \(.* free\)\.", err)
    assert "o/sample-03-n40-seed1/sizes.csv: 40 sizes, mean 7" in out
    assert lab_sizes("generate", "--sample", 3, "--count", 40, "--out", "o")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        (["--preset", "surge-files", "--cap", 1e6], r"surge-files-[0-9a-f]{8}-n60-seed1"),
        (["--mean", 20_000, "--sd", 12_000], r"mean-20000-[0-9a-f]{8}-n60-seed1"),
        (["--mean", 20_000, "--cut", 10_000, "--cap", 1e6], r"mean-20000-[0-9a-f]{8}-n60-seed1"),
        (["--list", DATA / "debian-12-doc-icons.txt.gz"], r"debian-12-doc-icons-[0-9a-f]{8}-n60-seed1"),
        (["--sample", 2, "--as-printed"], r"sample-02-as-printed-n60-seed1"),
    ],
)
def test_generate_makes_a_list_from_every_source(lab_sizes, arguments, folder):
    code, _, _ = lab_sizes("generate", *arguments, "--count", 60, "--out", "o")
    assert code == EXIT_DONE
    (made,) = folders("o")
    assert re.fullmatch(folder, made)
    sizes = Path("o", made, "sizes.csv").read_text().split()
    assert len(sizes) == 60
    assert {f"{s}.split" for s in sizes} == {p.name for p in Path("o", made, "payloads").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Give one of --sample, --model, --preset, --list, --mean"),
        (["--sample", 3, "--cap", 5], "--cap goes with"),
        (["--sample", 12], "no sample 12"),
        (["--list", "none.csv"], "none.csv: cannot be read"),
        (["--sample", 3, "--seed", -1], "seed must be"),
    ],
)
def test_what_cannot_be_generated_is_refused_in_one_line_with_exit_code_2(lab_sizes, arguments, sentence):
    code, out, err = lab_sizes("generate", *arguments, "--out", "o")
    assert code == EXIT_NOT_DONE
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert out == ""
    assert not Path("o").exists() or folders("o") == []


def test_describe_prints_target_beside_reached_for_all_ten(lab_sizes):
    code, out, _ = lab_sizes("describe")
    rows = [line.split() for line in out.splitlines() if re.match(r"\s+\d+\s", line)]
    assert code == EXIT_DONE
    assert [row[0] for row in rows] == [str(n) for n in range(1, 11)]
    for row in rows:
        off = [abs(float(v)) for v in re.findall(r"\(([+-][\d.]+)", " ".join(row))]
        assert off[0] <= 0.5
        assert off[1] <= 5
    assert "variance would be infinite" in out


def test_arrivals_writes_a_schedule(lab_sizes):
    code, out, _ = lab_sizes("arrivals", "--process", "pareto", "--rate", 20, "--seconds", 10, "--out", "a.csv")
    assert code == EXIT_DONE
    assert out.startswith("a.csv: ")
    assert Path("a.csv").read_text().startswith("start_ms,session\n")
    assert lab_sizes("arrivals", "--rate", 20, "--seconds", 10, "--out", "new/a.csv")[0] == EXIT_DONE
    code, _, err = lab_sizes("arrivals", "--rate", 20, "--seconds", 10, "--out", "a.csv/b.csv")
    assert (code, err) == (EXIT_NOT_DONE, "a.csv/b.csv: cannot be written: File exists.\n")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The fit of a real list, made by the command as a user runs it."""
    where = tmp_path_factory.mktemp("fit")
    command = [sys.executable, "-m", "workload_gen", "fit", DATA / "debian-12-doc-icons.txt.gz", "--bootstraps", "100"]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
    return where, done.stdout


def test_fit_says_how_good_the_model_is_and_what_it_wrote(fitted):
    where, out = fitted
    assert "9995 sizes" in out
    assert "only a description" in out
    assert "lognormal-pareto" in out
    assert folders(where) == ["fit-debian-12-doc-icons"]
    assert sorted(p.name for p in (where / "fit-debian-12-doc-icons").iterdir()) == ["index.html", "model.toml"]


@pytest.mark.slow
def test_the_page_of_a_fit_draws_its_charts_offline(fitted, drawn_page):
    page = drawn_page(fitted[0] / "fit-debian-12-doc-icons" / "index.html")
    assert page.locator(".drawing svg").count() == 5
    assert "only a description" in page.inner_text("h1")
    assert "9,995 sizes" in page.inner_text("main")


def test_the_model_of_a_fit_gives_a_list_of_any_length(fitted, lab_sizes):
    path = fitted[0] / "fit-debian-12-doc-icons" / "model.toml"
    assert tomllib.loads(path.read_text())["fit"]["sizes"] == 9995
    code, _, _ = lab_sizes("generate", "--model", path, "--count", 3000, "--list-only", "--out", "o")
    assert code == EXIT_DONE
    (made,) = Path("o").glob("*.csv")
    sizes = sorted(int(line) for line in made.read_text().split())
    model = read_model(path).distribution
    assert sizes[1500] == pytest.approx(float(model.quantile(0.5)), rel=0.01)
    assert sizes[-1] <= model.cap


@pytest.mark.parametrize(
    ("content", "sentence"), [("-3\n", "line 1: '-3' is not a size"), ("1\n2\n", "2 sizes are too few")]
)
def test_what_cannot_be_fitted_is_refused_and_nothing_is_written(lab_sizes, content, sentence):
    Path("mine.csv").write_text(content)
    code, _, err = lab_sizes("fit", "mine.csv", "--out", "o")
    assert code == EXIT_NOT_DONE
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert sorted(p.name for p in Path().iterdir()) == ["mine.csv"]


def test_a_fit_that_cannot_be_written_leaves_nothing(lab_sizes):
    Path("o").write_text("a file")
    Path("mine.csv").write_text("\n".join(str(1000 + n * n) for n in range(100)))
    code, _, err = lab_sizes("fit", "mine.csv", "--out", "o", "--bootstraps", 100)
    assert code == EXIT_NOT_DONE
    assert "o: cannot be written: File exists." in err
    assert sorted(p.name for p in Path().iterdir()) == ["mine.csv", "o"]

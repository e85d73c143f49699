import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from workload_gen.__main__ import EXIT_DONE, EXIT_NOT_DONE, main
from workload_gen.lists.model_file import read_model
from workload_gen.payloads.payload import PICTURE_FROM_BYTES

DATA = Path(__file__).resolve().parents[1] / "data"
DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "guides" / "file-sizes.md").read_text()


@pytest.fixture
def lab_sizes(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as refused:
            code = refused.code
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
    assert lab_sizes("generate", *arguments, "--count", 60, "--list-only", "--out", "o")[0] == EXIT_DONE
    (made,) = folders("o")
    assert re.fullmatch(rf"{folder}\.csv", made)
    assert len(Path("o", made).read_text().split()) == 60


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "one of the arguments --sample --model --preset --list --mean is required"),
        (["--sample", 3, "--cap", 5], "--cap goes with"),
        (["--sample", 12], "no sample 12"),
        (["--list", "none.csv"], "none.csv: cannot be read"),
        (["--sample", 3, "--seed", -1], "seed must be"),
    ],
)
def test_what_cannot_be_generated_is_refused_with_exit_code_2(lab_sizes, arguments, sentence):
    code, out, err = lab_sizes("generate", *arguments, "--out", "o")
    assert (code, out) == (EXIT_NOT_DONE, "")
    assert sentence in err
    assert not Path("o").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["arrivals", "--rate", 20, "--seconds", 10, "--out", "a.csv"],
        ["fit", DATA / "debian-12-doc-icons.txt.gz"],
        ["describe", "--as-printed"],
    ],
)
def test_a_negative_seed_is_refused_by_every_command(lab_sizes, arguments):
    code, out, err = lab_sizes(*arguments, "--seed", -1)
    assert (code, out) == (EXIT_NOT_DONE, "")
    assert err.splitlines()[-1].endswith("argument --seed: the seed must be a whole number from 0, not -1")


def test_describe_prints_what_the_guide_shows_for_all_ten(lab_sizes):
    code, out, _ = lab_sizes("describe")
    assert code == EXIT_DONE
    assert re.findall(r"^\s+(\d+)\s", out, re.MULTILINE) == [str(n) for n in range(1, 11)]
    shown = GUIDE.split("$ ./lab sizes describe\n")[1].split("```")[0].splitlines()
    assert len(shown) > 5
    assert [line for line in shown if line != "…" and line not in out.splitlines()] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--model", "m.toml", "--sample", 3], "argument --sample: not allowed with argument --model"),
        (["--preset", "surge-files", "--as-printed"], "--as-printed goes with the samples of Table 1"),
    ],
)
def test_describe_refuses_what_a_model_has_no_use_for(lab_sizes, arguments, sentence):
    code, out, err = lab_sizes("describe", *arguments)
    assert (code, out) == (EXIT_NOT_DONE, "")
    assert sentence in err


def test_arrivals_writes_a_schedule(lab_sizes):
    for out in ("a.csv", "new/a.csv"):
        code, said, _ = lab_sizes("arrivals", "--process", "pareto", "--rate", 20, "--seconds", 10, "--out", out)
        assert code == EXIT_DONE
        assert said.startswith(f"{out}: ")
        assert Path(out).read_text().startswith("start_ms,session\n")
    code, _, err = lab_sizes("arrivals", "--rate", 20, "--seconds", 10, "--out", "a.csv/b.csv")
    assert (code, err) == (EXIT_NOT_DONE, "a.csv/b.csv: cannot be written: File exists.\n")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The fit of a real list, made by the command as a user runs it."""
    where = tmp_path_factory.mktemp("fit")
    command = [sys.executable, "-m", "workload_gen", "fit", DATA / "debian-12-doc-icons.txt.gz", "--bootstraps", "100"]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
    return where / "fit-debian-12-doc-icons", done.stdout


@pytest.mark.slow
def test_the_page_of_a_fit_draws_its_charts_offline(fitted, drawn_page):
    page = drawn_page(fitted[0] / "index.html")
    assert page.locator(".drawing svg").count() == 5
    assert "only a description" in page.inner_text("h1")
    assert "9,995 sizes" in page.inner_text("main")


def test_fit_says_how_good_the_model_is_and_that_gives_a_list_of_any_length(fitted, lab_sizes):
    path = fitted[0] / "model.toml"
    for said in ("9995 sizes", "only a description", "lognormal-pareto"):
        assert said in fitted[1]
    assert sorted(p.name for p in path.parent.iterdir()) == ["index.html", "model.toml"]
    assert tomllib.loads(path.read_text())["fit"]["sizes"] == 9995
    code, _, _ = lab_sizes("generate", "--model", path, "--count", 3000, "--list-only", "--out", "o")
    assert code == EXIT_DONE
    (made,) = Path("o").glob("*.csv")
    sizes = sorted(int(line) for line in made.read_text().split())
    model = read_model(path).distribution
    assert sizes[1500] == pytest.approx(float(model.quantile(0.5)), rel=0.01)
    assert sizes[-1] <= model.cap


@pytest.mark.parametrize(
    ("content", "sentence", "left"),
    [
        ("-3\n", "line 1: '-3' is not a size", []),
        ("1\n2\n", "2 sizes are too few", []),
        ("\n".join(str(1000 + n * n) for n in range(100)), "o: cannot be written: File exists.", ["o"]),
    ],
)
def test_what_cannot_be_fitted_is_refused_and_nothing_is_written(lab_sizes, content, sentence, left):
    Path("mine.csv").write_text(content)
    for name in left:
        Path(name).write_text("a file")
    code, _, err = lab_sizes("fit", "mine.csv", "--out", "o", "--bootstraps", 100)
    assert code == EXIT_NOT_DONE
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert sorted(p.name for p in Path().iterdir()) == ["mine.csv", *left]


def test_the_guide_and_the_kept_fit_are_right(tmp_path):
    text = GUIDE.split("```toml\n")[1].split("```")[0]
    (tmp_path / "model.toml").write_text(text)
    model = read_model(tmp_path / "model.toml")
    assert model.distribution.parameters()["cut"] == tomllib.loads(text)["model"]["cut"]
    assert model.popularity.items == 500
    assert f"valid JPEG picture from {PICTURE_FROM_BYTES} bytes" in GUIDE
    kept = DOCS / "fits" / "debian-12-packages" / "model.toml"
    assert tomllib.loads(kept.read_text())["fit"]["sizes"] == 63_664
    assert read_model(kept).distribution.kind == "lognormal-pareto"

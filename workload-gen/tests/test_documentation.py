import tomllib
from pathlib import Path

from workload_gen.cli import main
from workload_gen.lists.model_file import read_model
from workload_gen.payloads.payload import PICTURE_FROM_BYTES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_shows_lines_that_describe_prints_figure_by_figure(capsys):
    shown = (
        (DOCS / "guides" / "file-sizes.md")
        .read_text()
        .split("$ ./lab sizes describe\n")[1]
        .split("```")[0]
        .splitlines()
    )
    assert main(["describe"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(shown) > 5
    assert [line for line in shown if line != "…" and line not in printed] == []


def test_the_model_file_on_the_page_is_one(tmp_path):
    text = (DOCS / "guides" / "file-sizes.md").read_text().split("```toml\n")[1].split("```")[0]
    (tmp_path / "model.toml").write_text(text)
    model = read_model(tmp_path / "model.toml")
    assert model.distribution.parameters()["cut"] == tomllib.loads(text)["model"]["cut"]
    assert model.popularity.items == 500


def test_the_page_says_from_which_size_a_payload_is_a_picture():
    assert f"valid JPEG picture from {PICTURE_FROM_BYTES} bytes" in (DOCS / "guides" / "file-sizes.md").read_text()


def test_the_fit_in_the_documentation_is_of_the_committed_list_and_still_readable():
    fitted = DOCS / "fits" / "debian-12-packages"
    assert tomllib.loads((fitted / "model.toml").read_text())["fit"]["sizes"] == 63_664
    assert read_model(fitted / "model.toml").distribution.kind == "lognormal-pareto"

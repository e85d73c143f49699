"""What the command line chooses, and what it is refused."""

import socket
import sys
from urllib.parse import urlsplit

import pytest
from tiny import TINY, copy_of_tiny, lab_here, refused

from uploadlab import cli
from uploadlab.commands import choice, run
from uploadlab.errors import LabError
from uploadlab.planning.placement import Placement
from uploadlab.planning.study import load_study


@pytest.fixture
def set_up(monkeypatch) -> list[str]:
    """Note which systems are set up, and do nothing."""
    keys: list[str] = []
    monkeypatch.setattr(choice, "set_up_load", lambda study: None)
    monkeypatch.setattr(choice, "set_up_systems", lambda suts: keys.extend(sut.key for sut in suts))
    return keys


def test_setup_makes_the_baseline_too_and_other_stacks_when_they_are_named(set_up):
    assert cli.main(["setup"]) == 0
    assert set_up == ["node", "tomcat", "reference"]
    set_up.clear()
    assert cli.main(["setup", "--stacks", "current,paper-2016"]) == 0
    assert set_up == ["node", "tomcat", "node@paper-2016", "tomcat@paper-2016", "reference"]


def test_a_campaign_keeps_the_command_as_it_is_typed(tmp_path, monkeypatch):
    kept: list[list[str]] = []
    typed = ["--study", str(TINY), "run", "--sizes", "1", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", ["/somewhere/uploadlab/__main__.py", *typed])
    monkeypatch.setattr(run.kept_campaign, "create", lambda _campaign, _needs, command, _hosts: kept.append(command))
    monkeypatch.setattr(run, "execute", lambda *_, **__: (True, 0))
    for step in ("set_up", "make_disks", "try_links"):
        monkeypatch.setattr(Placement, step, lambda *_: None)
    assert cli.main() == 0
    assert kept == [["./lab", *typed]]


def test_a_port_of_the_live_page_that_is_taken_is_refused_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "with_capacities", lambda *_, **__: pytest.fail("it measured capacities"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("upload", "run", "--live", port, "--disks", "tmpfs", "--out", str(tmp_path / "out"))
    assert said == f"--live {port}: Address already in use; choose another port."


def test_the_live_page_is_closed_where_nothing_can_be_measured(tmp_path, monkeypatch):
    def cannot(*_, **__):
        raise LabError("there is no capacity")

    monkeypatch.setattr(run, "with_capacities", cannot)
    asked = ["run", "--profile", "smoke", "--live", "0", "--out", str(tmp_path / "out")]
    said = lab_here("upload", *asked, expect=2).stderr.splitlines()
    assert said[-1] == "there is no capacity"
    url = next(line.removeprefix("Live page: ") for line in said if line.startswith("Live page: "))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(urlsplit(url).port or 0)))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--samples", "5,5"], "argument --samples: expected each name once, not '5,5'"),
        (["run", "--samples", ""], "argument --samples: expected a name, or several with commas between them, not ''"),
        (
            ["run", "--profile", "published", "--repeats", "3", "--baseline-repeats", "5"],
            "--baseline-repeats 5: expected at most 3, the planned repeats of each cell.",
        ),
        (
            ["judge", "HEAD", "--samples", "5", "--sizes", "list.csv"],
            "argument --sizes: not allowed with argument --samples",
        ),
        (["run", "--resume", "out", "--seed", "0"], "the campaign it finishes; leave --seed out."),
    ],
)
def test_an_option_that_would_be_ignored_or_changed_is_refused(arguments, sentence):
    dry = [] if "--resume" in arguments or arguments[0] == "engines" else ["--dry-run"]
    assert refused("upload", *arguments, *dry).endswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--operations", "void"], "unrecognized arguments: --operations void"),
        (["--capture"], "--capture: the study 'rpc' has no server whose packets are captured."),
    ],
)
def test_what_only_a_server_under_load_or_no_single_scenario_has_is_refused_in_a_study_of_parts(arguments, sentence):
    assert refused("rpc", "run", *arguments, "--dry-run").endswith(sentence)


@pytest.mark.parametrize("option", ["--repeats", "--live", "--baseline-repeats"])
def test_a_digit_that_is_no_number_is_refused(option):
    assert refused("upload", "run", option, "²", "--dry-run").endswith("not '²'")


def test_two_systems_with_one_id_are_refused(tmp_path):
    folders = [copy_of_tiny(tmp_path / name) / "alpha" for name in ("first", "second")]
    for folder in folders:
        (folder / "sut.toml").write_text((folder / "sut.toml").read_text().replace('id = "alpha"', 'id = "mine"'))
    said = refused(TINY, "run", "--systems", ",".join(map(str, folders)), "--dry-run")
    assert said == (
        f"{folders[1] / 'sut.toml'}: 'mine' is the id of the system in {folders[0]}, too; give each its own id."
    )


def test_a_system_that_is_named_by_its_id_and_by_its_folder_is_one():
    systems = choice.choose_systems(load_study(TINY), ["alpha", str(TINY / "alpha")], ["current"], [])
    assert [sut.key for sut in systems] == ["alpha"]


def test_a_system_of_parts_is_not_served():
    sentence = "./lab serve simplified: it is not one server but broker and consumer and producer; ./lab run starts it."
    assert refused("queues", "serve", "simplified", "--port", "0") == sentence
